// SPDX-License-Identifier: Apache-2.0
// What printf reads and scanf writes by its arguments, as the format says. One with numbered
// arguments ("%2$s") is not looked at.
#pragma once

#include <stdarg.h>
#include <wchar.h>

#include "src/runtime/interpose/buffers/library_call.h"

namespace jostle::rt {

// Before printf: the texts that it prints, and what its %n write.
void before_print(LibraryCall& call, const char* format, va_list more);
void before_print(LibraryCall& call, const wchar_t* format, va_list more);

// After scanf, which has assigned `count` values.
void after_scan(const LibraryCall& call, const char* format, int count, va_list more);
void after_scan(const LibraryCall& call, const wchar_t* format, int count, va_list more);

}  // namespace jostle::rt
