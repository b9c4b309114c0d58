// SPDX-License-Identifier: Apache-2.0
// From addresses of a finished run to names and source lines.
//
// The channel lists the modules that were loaded and where; the symbolizer opens each file when it
// is first asked about (once for all symbolizers of the process: a campaign looks at many runs of
// one program) and answers three questions: which functions (with inlined ones) is this pc
// in, which line, and which global variable is at this address. A return address points behind its
// call; the line is that of the byte before.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "src/report/symbols/local_variables.h"
#include "src/report/symbols/module_symbols.h"
#include "src/report/symbols/variable_types.h"
#include "src/schedule/run_end.h"
#include "src/schedule/trace_event.h"

namespace jostle::report {

struct Module {
  std::string path;
  uintptr_t bias = 0, begin = 0, end = 0;
  uint64_t name_hash = 0;
  bool instrumented = false;
  bool idle_atomics = false;  // it has some that nobody sees, and none has run
};

// One line of a stack. `where` is always set ("prog+0x1234"), the rest when debug information or a
// symbol table gives it.
struct Frame {
  std::string where;
  std::string function;
  std::string file;
  int line = 0;
  bool plumbing =
      false;  // the standard library, libc, our own runtime: not what a reader looks for
};

enum class PcKind { exact, return_address };

class Symbolizer {
 public:
  explicit Symbolizer(std::span<const channel::ModuleRecord> modules);

  // The frames at this pc, innermost (inlined) first; at least one.
  const std::vector<Frame>& frames(uintptr_t pc, PcKind kind = PcKind::return_address);

  // The frame of a stack that a reader looks for: the innermost of the program's own code, or the
  // innermost at all.
  Frame line_that_matters(const channel::Stack& stack, bool first_is_exact = false);
  Frame line_that_matters(uintptr_t pc, PcKind kind = PcKind::return_address);

  // Name of the global variable or function at this address, "symbol+8"; empty when there is none.
  std::string global(uintptr_t address);
  // The same with the member: "accounts[1].balance".
  std::string variable(uintptr_t address) { return variable(address, 0).name; }
  // The same for an access of so many bytes (0: not known), with what type it has.
  NamedMemory variable(uintptr_t address, uint32_t size);
  // The thread-local variable of the program itself so many bytes from the thread pointer.
  NamedMemory thread_local_variable(uint64_t from_thread_pointer, uint32_t size);

  // The variable at an address of a stack: "front". Empty when there is none, or the function that
  // it belongs to is over.
  NamedMemory local(const channel::Stack& stack, uintptr_t address, uint32_t size);
  // The same of a call at `pc` with a frame of `frame_size` bytes (0: not known), `above` bytes
  // below its end.
  NamedMemory local(uintptr_t pc, uint64_t above, uint64_t frame_size);

  // The function whose frame has this address: the outermost at its place, without inlined ones.
  Frame frame_of(const channel::Stack& stack, uintptr_t address);

  // The symbols of the module at this address, and what the file itself calls the address. Null:
  // there are none.
  ModuleSymbols* symbols_at(uintptr_t address, uint64_t& in_file);

  // Code locations and addresses of one run. 0 when the module is not known.
  uintptr_t address_of(channel::CodeLocation location) const;
  channel::CodeLocation location_of(uintptr_t address) const;
  // "prog+0x1234"; empty for 0, "?1f2e+0x1234" for an unknown module.
  std::string where(channel::CodeLocation location) const;

  const std::vector<Module>& modules() const { return modules_; }
  const Module* module_at(uintptr_t address) const;
  bool has_debug_info(const Module& module);

 private:
  // What is known of a module's file.
  struct OpenFile {
    std::unique_ptr<ModuleSymbols> symbols = {};  // null: it cannot be read
    std::optional<VariableTypes> types = {};
    // By addresses of the file.
    std::unordered_map<uint64_t, std::vector<SourcePosition>> positions = {};
  };
  static std::shared_ptr<OpenFile> open_file(const std::string& path);
  OpenFile& file_of(const Module& module);
  ModuleSymbols* symbols_of(const Module& module) { return file_of(module).symbols.get(); }
  const Module* module_of(channel::CodeLocation location) const;
  std::vector<Frame> lookup(uintptr_t pc);

  std::vector<Module> modules_;
  std::map<const Module*, std::shared_ptr<OpenFile>> open_;
  std::unordered_map<uintptr_t, std::vector<Frame>> cache_;
};

// A header of the system's, of the standard library or the compiler.
bool is_system_file(std::string_view file);
// libc, libstdc++ and their kin, by file name.
bool is_system_library(std::string_view path);
// Our own runtime, under any of its names.
bool is_own_library(std::string_view path);
// gcc's: what it orders is known from hooks.
bool is_openmp_library(std::string_view path);

// "bank.cc:22"; "prog+0x1234" without debug information.
std::string source(const Frame& frame);
// "audit", from "audit(int)"; templates keep what tells them apart.
std::string short_function(std::string_view function);
// The same, and "lambda in main" for what gcc calls main::{lambda()#1}::operator()() const.
std::string readable_function(std::string_view function);

}  // namespace jostle::report
