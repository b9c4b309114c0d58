// SPDX-License-Identifier: Apache-2.0
// Reads the command line of a gcc or clang call and says what the call is about.
//
// The wrapper never takes a user's arguments apart: it hands them on as they are and adds its own
// before and after them. What it adds depends on whether the call compiles, links, both, or only
// asks the compiler a question, and that is decided here. Pure text work: no file is looked at.
//
// The rules are gcc's: an option is known by its first letters, some take the next word as their
// value, everything else is an input whose language is given by -x or its extension. What we do not
// know counts as an option without value, or as a linker input; the compiler has the last word.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace jostle::cli {

struct CompilerCall {
  bool passes_through = false;       // a question, or incomplete: the compiler alone answers
  bool compiles = false;             // an input goes through the preprocessor or compiler
  bool runs_linker = false;          // after compiling, if there is anything to compile
  bool links = false;                // and makes an executable or a shared library (no -r)
  bool instruments = true;           // not switched off by -fno-sanitize=thread or all
  bool has_other_sanitizer = false;  // for example undefined: its runtime must be linked
  // Options of LLVM's (-mllvm) that are set, without values: clang stops when one is given twice.
  std::vector<std::string> llvm_options;
  bool covers = false;                 // -fjostle-coverage, which is ours and not handed on
  std::optional<std::string> refusal;  // why this cannot work, and what to do
};

// `option` without its dashes and its value.
inline std::string_view llvm_option_name(std::string_view option) {
  option.remove_prefix(std::min(option.find_first_not_of('-'), option.size()));
  return option.substr(0, option.find('='));
}

// What this call, response files expanded, is about.
CompilerCall analyse_compiler_call(const std::vector<std::string>& args);

}  // namespace jostle::cli
