// SPDX-License-Identifier: Apache-2.0
// `jostle cc` and `jostle c++`: the user's compiler, with instrumentation and our runtime.
//
// The compilers' own thread sanitizer puts a call at every memory access; linked with libjostle.so
// instead of libtsan these calls are our scheduling points. So the wrapper hands every argument on
// as it is, adds a few options around them, and becomes the compiler (exec): nothing is copied,
// renamed or run twice, and exit codes and signals are the compiler's.
//
// What is added:
//
//            compiling                    linking
//   gcc      -fsanitize=thread            the same, and -L<dir> where `-ltsan` is libjostle.so
//   clang    -fsanitize=thread            nothing: its runtime is a static library. In one call
//   with
//                                         compiling, -fno-sanitize-link-runtime keeps it out
//   both     -isystem <dir> with nothing  libjostle.so before everything else, and a run path
//            but <jostle/…> in it
//
// libjostle.so is named by its path in front of all inputs, between --no-as-needed and --pop-state:
// it comes before libc in the symbol search order, and stays although nothing may refer to it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "src/cli/compiler/compiler_arguments.h"

namespace jostle::cli {

enum class Language { c, cxx };

// Becomes the compiler. Returns only on error, which is reported: 1 when the call cannot work, 127
// when there is no such compiler.
int run_compiler(Language language, std::vector<std::string> args);

// The parts, for tests and for commands that need the library too.

enum class CompilerFamily { gcc, clang };

// Tells by the names in JOSTLE_CC ("ccache clang++ -m64"); nullopt when they do not tell ("cc").
std::optional<CompilerFamily> compiler_family_by_name(const std::vector<std::string>& compiler);

// The command line to execute. `args` are the user's, `call` what they are about.
std::vector<std::string> compiler_command(std::vector<std::string> compiler, CompilerFamily family,
                                          const CompilerCall& call,
                                          const std::vector<std::string>& args,
                                          const std::filesystem::path& library_dir,
                                          const std::optional<std::filesystem::path>& include_dir);

}  // namespace jostle::cli
