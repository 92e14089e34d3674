// SPDX-License-Identifier: GPL-2.0
/* Random numbers that depend only on the seed and the number of the case. */
#include "abi.h"

static uint64_t state;

/* Sebastiano Vigna's splitmix64, in the public domain. */
uint64_t random_u64(void)
{
	uint64_t z = state += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

void random_start(uint64_t seed, uint64_t number)
{
	state = seed;
	state = random_u64() + number;
	state = random_u64();
}

unsigned int random_below(unsigned int n)
{
	return (random_u64() >> 32) * n >> 32;
}

bool random_percent(unsigned int percent)
{
	return random_below(100) < percent;
}
