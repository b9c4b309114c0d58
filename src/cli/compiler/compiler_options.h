// SPDX-License-Identifier: Apache-2.0
// What it takes to instrument code for Jostle, in one place: the wrapper (`jostle cc`, `jostle
// c++`) and the CMake package (`jostle_instrument`) use the very same words. cmake/install.cmake
// reads the strings from this file: each stays on one line, words separated by single spaces.
#pragma once

namespace jostle::cli {

// Hooks at every memory access, atomic operation and function entry. gcc needs it when linking as
// well: with -flto the code is made there, and the hooks would be silently missing.
inline constexpr const char* kInstrumentOption = "-fsanitize=thread";

// gcc warns that libtsan does not understand fences. Ours does. A function that is called in one
// place only stays one: its variables are gone when it returns (memory/stack_check.h), and reports
// have its frame. Memory is read where the program reads it: before the hooks are put in, gcc would
// move a read out of the branch of a loop that it stands in, or make one of each of two branches,
// and a thread would be seen to read what is another thread's. Memory that is copied, filled or
// compared by a function's name is so by that function, which is hooked: gcc puts in no hooks where
// it does that in place, for what it knows to be small. And gcc forgets that an atomic operation in
// a function that it calls lets it see what others wrote: `while (!ready) wait();` would read a
// static `ready` once.
// clang-format off
inline constexpr const char* kGccOptions = "-Wno-tsan -fno-inline-functions-called-once -fno-ipa-reference -fno-tree-loop-im -fno-tree-partial-pre -fno-hoist-adjacent-loads -fno-builtin-memcpy -fno-builtin-memmove -fno-builtin-mempcpy -fno-builtin-memset -fno-builtin-memcmp -fno-builtin-strcpy -fno-builtin-strncpy -fno-builtin-stpcpy -fno-builtin-stpncpy -fno-builtin-strcat -fno-builtin-strncat -fno-builtin-bcmp -fno-builtin-bcopy -fno-builtin-bzero -fno-builtin-strcmp -fno-builtin-strncmp -fno-builtin-sprintf -fno-builtin-snprintf";
// clang-format on

// clang leaves out the hook of a read that a write to the same place follows (`counter++`): no loss
// for a race detector, but for us that read is half of every lost update. The others are the same
// as gcc's above.
// clang-format off
inline constexpr const char* kClangOptions = "-mllvm -tsan-instrument-read-before-write=1 -mllvm -disable-licm-promotion -mllvm -sink-common-insts=false";
// clang-format on

// In the folder of our headers: has std::string compiled with the program, by libstdc++'s own
// switch.
inline constexpr const char* kStringHeaders = "jostle/libstdcxx";

// Hooks of their own for volatile accesses: --volatile=atomic tells them from plain ones.
inline constexpr const char* kGccVolatileOption = "--param=tsan-distinguish-volatile=1";
inline constexpr const char* kClangVolatileOption = "-mllvm -tsan-distinguish-volatile=1";

// -fjostle-coverage: hooks at edges and comparisons, for the search for inputs (jostle fuzz
// --input). clang's driver must not hear of it: it would link a runtime.
inline constexpr const char* kCoverageOption = "-fjostle-coverage";
inline constexpr const char* kGccCoverageOption = "-fsanitize-coverage=trace-pc,trace-cmp";
inline constexpr const char* kClangCoverageOptions =
    "-Xclang -fsanitize-coverage-type=3 -Xclang -fsanitize-coverage-trace-pc-guard -Xclang "
    "-fsanitize-coverage-trace-cmp";

// clang, compiling and linking in one call: keep its own (static) runtime out.
inline constexpr const char* kClangNoRuntimeOption = "-fno-sanitize-link-runtime";

}  // namespace jostle::cli
