// SPDX-License-Identifier: Apache-2.0
// Atomic instructions in the code of an instrumented program.
//
// There the compiler turns every atomic operation into a call of ours. An instruction that is
// atomic by itself was written in inline assembly, or comes from code that was compiled otherwise:
// what threads do to each other by it is not seen.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/report/symbols/symbolizer.h"

namespace jostle::report {

// The names of libraries that were not instrumented, are no part of the system, and have atomic
// instructions, which may have run: they may order threads by themselves, which nobody sees.
std::vector<std::string> libraries_with_unseen_order(const Symbolizer& symbols);
// "libx.so was not built with `jostle c++` and has atomics of its own: how …"
std::string describe_unseen_order(const std::vector<std::string>& libraries);

// Has the file any? Reads no debug information.
bool has_assembly_atomics(const std::string& module_path);

// The functions of a file that have some, those that were inlined by their own name; each once.
std::vector<std::string> functions_with_assembly_atomics(const std::string& module_path);

// The same for the processor's counter of time.
std::vector<std::string> functions_that_read_counter(const std::string& module_path);

// "in ck_pr_cas_ptr and 3 other functions (…)"
// Of a module that has none in a function that is known: what is not code may look like one.
std::string describe_possible_atomics(std::string_view module_name);
std::string describe_assembly_atomics(const std::vector<std::string>& functions);

}  // namespace jostle::report
