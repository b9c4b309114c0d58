#include "checksum.h"

unsigned checksum(const char* text) {
  unsigned sum = 0;
  while (*text != '\0') sum = rotate_left_one(sum) ^ (unsigned char)*text++;
  return sum;
}

// SPDX-License-Identifier: Apache-2.0
