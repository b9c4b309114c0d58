#ifndef CHECKSUM_H
#define CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

uint32_t checksum(const void* data, size_t size);

#ifdef __cplusplus
}
#endif

#endif

// SPDX-License-Identifier: Apache-2.0
