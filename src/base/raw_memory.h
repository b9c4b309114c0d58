// SPDX-License-Identifier: Apache-2.0
// memcpy and friends are hooks of ours, and compilers call them on their own. Inside libjostle such
// calls must not come back to the hooks: this header, included in front of every file of the
// library, points them at private versions by an assembler-level equate.
//
// The one file that defines the hooks switches it off with JOSTLE_DEFINES_STRING_HOOKS.
#pragma once

#include <cstddef>

extern "C" {
void* jostle_raw_memcpy(void* to, const void* from, size_t n);
void* jostle_raw_memmove(void* to, const void* from, size_t n);
void* jostle_raw_memset(void* to, int value, size_t n);
int jostle_raw_memcmp(const void* a, const void* b, size_t n);
size_t jostle_raw_strlen(const char* s);
int jostle_raw_strcmp(const char* a, const char* b);
int jostle_raw_strncmp(const char* a, const char* b, size_t n);
char* jostle_raw_strchr(const char* s, int c);
char* jostle_raw_strrchr(const char* s, int c);
char* jostle_raw_strncpy(char* to, const char* from, size_t n);
char* jostle_raw_strstr(const char* s, const char* what);
}

#ifndef JOSTLE_DEFINES_STRING_HOOKS
asm(".set memcpy, jostle_raw_memcpy\n"
    ".set memmove, jostle_raw_memmove\n"
    ".set memset, jostle_raw_memset\n"
    ".set memcmp, jostle_raw_memcmp\n"
    ".set strlen, jostle_raw_strlen\n"
    ".set strcmp, jostle_raw_strcmp\n"
    ".set strncmp, jostle_raw_strncmp\n"
    ".set strchr, jostle_raw_strchr\n"
    ".set strrchr, jostle_raw_strrchr\n"
    ".set strncpy, jostle_raw_strncpy\n"
    ".set strstr, jostle_raw_strstr\n");
#endif
