#ifndef CHECKSUM_H
#define CHECKSUM_H

#ifdef __cplusplus
extern "C" {
#endif

unsigned checksum(const char* text);
unsigned rotate_left_one(unsigned value); /* in assembler */

#ifdef __cplusplus
}
#endif

#endif

// SPDX-License-Identifier: Apache-2.0
