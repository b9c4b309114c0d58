// SPDX-License-Identifier: Apache-2.0
// The symbols and line numbers of one ELF file, read with elfutils (separate debug files included).
//
// All addresses here are the file's own: the offset a code location carries, or a run-time address
// minus the module's bias. Nothing is trusted: a missing, truncated or hostile file gives empty
// answers. clang writes no .debug_aranges and libdw finds nothing without it, so the index from
// addresses to compilation units is built here, once, from the units themselves.
#pragma once

#include <elfutils/libdwfl.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "src/report/symbols/debug_excerpt.h"

namespace jostle::report {

// A position in the source. Function is demangled; file is absolute when the debug information
// says so. Parts that are not known are empty or 0.
struct SourcePosition {
  std::string function;
  std::string file;
  int line = 0;
};

struct Symbol {
  std::string name;  // demangled
  uint64_t offset = 0;
  uint64_t size = 0;
};

// The functions of one unit by their code. Read once, and those that are hard to find only when one
// of them is asked for.
class FunctionsOfUnit {
 public:
  // Null when there is none.
  const Dwarf_Die* find(Dwarf_Die& unit, Dwarf_Addr address);

 private:
  struct FunctionRange {
    Dwarf_Addr begin, end;
    Dwarf_Die function;
  };
  enum class Read {
    nothing,
    plain,   // those in the unit itself and in its namespaces
    hidden,  // and those inside of others
  };
  void read_unit(Dwarf_Die& unit, Read what);
  void read(Dwarf_Die& parent, bool hidden, int depth);
  const Dwarf_Die* look_up(Dwarf_Addr address) const;

  Read read_ = Read::nothing;
  std::vector<FunctionRange> ranges_;
};

class ModuleSymbols {
 public:
  // Null when there is no such file or it is no ELF file.
  static std::unique_ptr<ModuleSymbols> open(const std::string& path);
  ~ModuleSymbols();
  ModuleSymbols(const ModuleSymbols&) = delete;
  ModuleSymbols& operator=(const ModuleSymbols&) = delete;

  // The function at this address and, in front of it, those inlined into it there. Empty when
  // nothing is known.
  std::vector<SourcePosition> positions(uint64_t address);

  // The scopes around this address, innermost first, up to the function; and the address in terms
  // of the debug information.
  std::vector<Dwarf_Die> scopes(uint64_t address, Dwarf_Addr& in_dwarf);

  // How the code at this address finds the end of its frame: a register of the machine, and how
  // far above it. Nothing: not known, or not that simple.
  struct FrameEnd {
    unsigned number;
    int64_t above;
  };
  std::optional<FrameEnd> frame_end(uint64_t address);

  // The function or variable that covers this address.
  std::optional<Symbol> symbol(uint64_t address);

  // Where in the module's own block of thread-local variables this is, if the module is the
  // program: its block lies next to the thread pointer.
  std::optional<uint64_t> offset_in_thread_locals(uint64_t from_thread_pointer);

  bool has_debug_info() { return dwarf() != nullptr; }

  // For those who go through all of it (functions.cc). Names are the linker's.
  void for_each_unit(const std::function<void(Dwarf_Die& unit)>& visit);
  using VisitSymbol = std::function<void(const char* name, uint64_t address, uint64_t size)>;
  void for_each_function_symbol(const VisitSymbol& visit);
  // The same for thread-local variables: offsets in the module's block of them.
  void for_each_thread_local(const VisitSymbol& visit);
  // Does its code call, or define, something that the linker knows by this name?
  bool refers_to(std::string_view name);
  // From an address that a unit gives to one of the file.
  uint64_t file_address(Dwarf_Addr in_dwarf);

 private:
  struct UnitRange {
    Dwarf_Addr begin, end;
    Dwarf_Off unit;
  };

  ModuleSymbols(Dwfl* dwfl, Dwfl_Module* module) : dwfl_(dwfl), module_(module) {}
  template <typename Visit>
  void for_each_definition(int type, Visit&& visit);  // in the linker's table
  Dwarf* dwarf();
  DebugExcerpt* excerpt();
  void index_units();
  bool find_unit(Dwarf_Addr address, Dwarf_Die& unit);
  std::vector<Dwarf_Die> nested_scopes(Dwarf_Die& unit, Dwarf_Addr address);

  Dwfl* dwfl_;
  Dwfl_Module* module_;
  Dwarf* dwarf_ = nullptr;
  bool dwarf_searched_ = false;
  std::unique_ptr<DebugExcerpt> excerpt_;
  bool excerpt_searched_ = false;
  Dwarf_Addr dwarf_bias_ = 0;
  std::vector<UnitRange> ranges_;
  std::unordered_map<const void*, FunctionsOfUnit> functions_;  // by their unit
};

// What the linker calls a function, or an inlined copy of one; null when nothing says so.
const char* linkage_name(Dwarf_Die& function);

// The C++ name behind a linker symbol; the symbol itself when it is none.
std::string demangle(const char* symbol);

}  // namespace jostle::report
