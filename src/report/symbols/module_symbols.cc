// SPDX-License-Identifier: Apache-2.0
#include "src/report/symbols/module_symbols.h"

#include <cxxabi.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <gelf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "src/report/symbols/debug_file_search.h"
#include "src/report/symbols/type_members.h"

namespace jostle::report {
namespace {

const Dwfl_Callbacks* callbacks() {
  // All members are filled in: libdw calls what the file's shape asks for.
  static const Dwfl_Callbacks table = [] {
    Dwfl_Callbacks c{};
    c.find_elf = dwfl_build_id_find_elf;
    c.find_debuginfo = find_debug_file;
    c.section_address = dwfl_offline_section_address;
    return c;
  }();
  return &table;
}

std::string absolute_file(const char* file, Dwarf_Die& unit) {
  if (file == nullptr) return {};
  if (file[0] == '/') return file;
  Dwarf_Attribute attribute;
  const char* directory = dwarf_formstring(dwarf_attr(&unit, DW_AT_comp_dir, &attribute));
  return directory == nullptr ? file : std::string(directory) + "/" + file;
}

std::string function_name(Dwarf_Die& die, bool& is_full);

// The innermost function that the entry lies in.
bool function_around(const Dwarf_Die& die, Dwarf_Die& found) {
  bool known = false;
  for (Dwarf_Die& scope : scopes_around(die)) {
    if (dwarf_tag(&scope) != DW_TAG_subprogram) continue;
    found = scope;
    known = true;
  }
  return known;
}

// The function that a lambda's body was written in; gcc gives such a body no linkage name, so that
// all that is known of it is "operator()".
std::string name_around_lambda(Dwarf_Die& die) {
  Dwarf_Die around;
  bool ignored = false;
  return function_around(declaration_of(die), around) ? function_name(around, ignored)
                                                      : std::string();
}

// "std::stop_callback::" of a member function of the standard library's; gcc gives those of classes
// for a lambda no linkage name. Empty: it is something else.
std::string class_of_library(Dwarf_Die& die) {
  Dwarf_Die owner;
  if (!class_of(die, owner) || !is_in_std(owner)) return {};
  const std::string_view name = die_name(owner);
  return fmt::format("std::{}::", name.substr(0, name.find('<')));
}

// The demangled linkage name (`is_full`), or just the name as the source has it.
std::string function_name(Dwarf_Die& die, bool& is_full) {
  if (const char* name = linkage_name(die)) {
    is_full = true;
    return demangle(name);
  }
  Dwarf_Attribute attribute;
  const char* name = dwarf_formstring(dwarf_attr_integrate(&die, DW_AT_name, &attribute));
  if (name == nullptr) return {};
  if (std::string_view(name) == "operator()") {
    const std::string around = name_around_lambda(die);
    if (!around.empty()) return around + "::{lambda()}::operator()()";
  }
  if (dwarf_attr_integrate(&die, DW_AT_object_pointer, &attribute) != nullptr) {
    return class_of_library(die) + name;
  }
  return name;
}

// The part of a unit that tells about functions and variables: with -gsplit-dwarf it is in a file
// of its own, and what the program has is only a skeleton with the line numbers.
Dwarf_Die whole_unit(const Dwarf_Die& unit) {
  Dwarf_Die split{};
  const bool known =
      dwarf_cu_info(unit.cu, nullptr, nullptr, nullptr, &split, nullptr, nullptr, nullptr) == 0;
  return known && dwarf_tag(&split) == DW_TAG_compile_unit ? split : unit;
}

template <typename Visit>
void visit_units(Dwarf* dwarf, Visit&& visit) {
  Dwarf_CU* cu = nullptr;
  Dwarf_Half version;
  uint8_t unit_type;
  Dwarf_Die unit;
  while (dwarf_get_units(dwarf, cu, &cu, &version, &unit_type, &unit, nullptr) == 0) {
    if (unit_type != DW_UT_type) visit(unit);
  }
}

// Where an inlined function was called from becomes the position of the function around it.
void move_to_call_site(Dwarf_Die& inlined, Dwarf_Die& unit, Dwarf_Die& whole,
                       SourcePosition& position) {
  Dwarf_Attribute attribute;
  Dwarf_Word number = 0;
  position = {};
  if (dwarf_formudata(dwarf_attr(&inlined, DW_AT_call_line, &attribute), &number) == 0) {
    position.line = static_cast<int>(number);
  }
  Dwarf_Files* files = nullptr;
  size_t count = 0;
  if (dwarf_getsrcfiles(&whole, &files, &count) == 0 &&
      dwarf_formudata(dwarf_attr(&inlined, DW_AT_call_file, &attribute), &number) == 0 &&
      number < count) {
    position.file = absolute_file(dwarf_filesrc(files, number, nullptr, nullptr), unit);
  }
}

// The child that covers the address, if it has one of these tags.
bool child_at(Dwarf_Die& parent, Dwarf_Addr address, std::initializer_list<int> tags,
              Dwarf_Die& found) {
  Dwarf_Die child;
  for (int more = dwarf_child(&parent, &child); more == 0; more = dwarf_siblingof(&child, &child)) {
    const int tag = dwarf_tag(&child);
    if (std::find(tags.begin(), tags.end(), tag) == tags.end()) continue;
    if (dwarf_haspc(&child, address) <= 0) continue;
    found = child;
    return true;
  }
  return false;
}

// From a function inwards, given innermost first.
std::vector<Dwarf_Die> scopes_inside(const Dwarf_Die& function, Dwarf_Addr address) {
  std::vector<Dwarf_Die> chain{function};
  Dwarf_Die inner;
  while (
      child_at(chain.back(), address, {DW_TAG_inlined_subroutine, DW_TAG_lexical_block}, inner)) {
    chain.push_back(inner);
  }
  std::reverse(chain.begin(), chain.end());
  return chain;
}

constexpr int kDeepestFunction = 16;

}  // namespace

// Functions lie in the unit or in its namespaces. `hidden`: those that are inside of others, or of
// classes there: local classes, and what calls a lambda without captures.
void FunctionsOfUnit::read(Dwarf_Die& parent, bool hidden, int depth) {
  Dwarf_Die child;
  if (depth > kDeepestFunction || dwarf_child(&parent, &child) != 0) return;
  do {
    const int tag = dwarf_tag(&child);
    if (tag == DW_TAG_subprogram) {
      Dwarf_Addr base, begin, end;
      for (ptrdiff_t at = 0; (at = dwarf_ranges(&child, at, &base, &begin, &end)) > 0;) {
        if (begin < end) ranges_.push_back({begin, end, child});
      }
    }
    const bool may_hide = tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block ||
                          tag == DW_TAG_structure_type || tag == DW_TAG_class_type;
    if (tag == DW_TAG_namespace || (hidden && may_hide)) read(child, hidden, depth + 1);
  } while (dwarf_siblingof(&child, &child) == 0);
}

const Dwarf_Die* FunctionsOfUnit::look_up(Dwarf_Addr address) const {
  auto after = std::upper_bound(
      ranges_.begin(), ranges_.end(), address,
      [](Dwarf_Addr value, const FunctionRange& range) { return value < range.begin; });
  if (after == ranges_.begin()) return nullptr;
  const FunctionRange& range = *std::prev(after);
  return address < range.end ? &range.function : nullptr;
}

void FunctionsOfUnit::read_unit(Dwarf_Die& unit, Read what) {
  read_ = what;
  ranges_.clear();
  read(unit, what == Read::hidden, 0);
  std::stable_sort(
      ranges_.begin(), ranges_.end(),
      [](const FunctionRange& a, const FunctionRange& b) { return a.begin < b.begin; });
}

const Dwarf_Die* FunctionsOfUnit::find(Dwarf_Die& unit, Dwarf_Addr address) {
  if (read_ == Read::nothing) read_unit(unit, Read::plain);
  if (const Dwarf_Die* known = look_up(address)) return known;
  if (read_ == Read::hidden) return nullptr;
  read_unit(unit, Read::hidden);
  return look_up(address);
}

const char* linkage_name(Dwarf_Die& function) {
  for (const unsigned kind : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name}) {
    Dwarf_Attribute attribute;
    const char* name = dwarf_formstring(dwarf_attr_integrate(&function, kind, &attribute));
    if (name != nullptr) return name;
  }
  return nullptr;
}

namespace {

// gcc's body of a coroutine, "leaf(leaf(int)::_Z4leafi.Frame*) [clone .actor]", is leaf(int) to who
// wrote it; what destroys it has that name as well, as clang has it. Empty: it is something else.
std::string_view mangled_coroutine(std::string_view demangled) {
  constexpr std::string_view kFrame = ".Frame*) [clone .";
  const size_t end = demangled.rfind(kFrame);
  if (end == demangled.npos) return {};
  const std::string_view part = demangled.substr(end + kFrame.size());
  const size_t begin = demangled.rfind("::_Z", end);
  if ((part != "actor]" && part != "destroy]") || begin == demangled.npos) return {};
  return demangled.substr(begin + 2, end - begin - 2);
}

}  // namespace

std::string demangle(const char* symbol) {
  if (symbol == nullptr) return {};
  // A variable of C called x is no "long long", which is what the demangler makes of it.
  if (!std::string_view(symbol).starts_with("_Z")) return symbol;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(symbol, nullptr, nullptr, &status), &std::free);
  if (status != 0 || !name) return symbol;
  // What returns a std::string has a mark of the library's ABI, which no source has.
  std::string text = name.get();
  if (const std::string_view coroutine = mangled_coroutine(text); !coroutine.empty()) {
    return demangle(std::string(coroutine).c_str());
  }
  constexpr std::string_view kMark = "[abi:cxx11]";
  for (size_t at; (at = text.find(kMark)) != std::string::npos;) text.erase(at, kMark.size());
  return text;
}

std::unique_ptr<ModuleSymbols> ModuleSymbols::open(const std::string& path) {
  // A module's path comes from the target; a FIFO of that name must not hold us up.
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return nullptr;
  struct stat info;
  Dwfl* dwfl = fstat(fd, &info) == 0 && S_ISREG(info.st_mode) ? dwfl_begin(callbacks()) : nullptr;
  if (dwfl == nullptr) {
    close(fd);
    return nullptr;
  }
  dwfl_report_begin(dwfl);
  // Takes the descriptor when it succeeds.
  Dwfl_Module* module = dwfl_report_offline(dwfl, path.c_str(), path.c_str(), fd);
  if (module == nullptr) close(fd);
  dwfl_report_end(dwfl, nullptr, nullptr);
  if (module == nullptr) {
    dwfl_end(dwfl);
    return nullptr;
  }
  return std::unique_ptr<ModuleSymbols>(new ModuleSymbols(dwfl, module));
}

ModuleSymbols::~ModuleSymbols() { dwfl_end(dwfl_); }

Dwarf* ModuleSymbols::dwarf() {
  if (dwarf_searched_) return dwarf_;
  dwarf_searched_ = true;
  dwarf_ = dwfl_module_getdwarf(module_, &dwarf_bias_);
  if (dwarf_ != nullptr) index_units();
  if (ranges_.empty()) dwarf_ = nullptr;  // sections without a single unit: as good as none
  return dwarf_;
}

// Of a debug file apart from the module; null: take `dwarf`.
DebugExcerpt* ModuleSymbols::excerpt() {
  if (dwarf_searched_) return nullptr;
  if (excerpt_searched_) return excerpt_.get();
  excerpt_searched_ = true;
  GElf_Addr bias = 0;
  Elf* elf = dwfl_module_getelf(module_, &bias);
  if (elf == nullptr) return nullptr;
  dwfl_module_getsymtab(module_);  // looks for that file when the module has no symbols of its own
  const char* separate = nullptr;
  dwfl_module_info(module_, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, &separate);
  if (separate != nullptr) excerpt_ = DebugExcerpt::open(separate, lowest_address(elf));
  return excerpt_.get();
}

void ModuleSymbols::index_units() {
  visit_units(dwarf_, [this](Dwarf_Die& unit) {
    Dwarf_Addr base, begin, end;
    for (ptrdiff_t at = 0; (at = dwarf_ranges(&unit, at, &base, &begin, &end)) > 0;) {
      if (begin < end) ranges_.push_back({begin, end, dwarf_dieoffset(&unit)});
    }
  });
  std::sort(ranges_.begin(), ranges_.end(),
            [](const UnitRange& a, const UnitRange& b) { return a.begin < b.begin; });
}

void ModuleSymbols::for_each_unit(const std::function<void(Dwarf_Die& unit)>& visit) {
  if (dwarf() == nullptr) return;
  visit_units(dwarf_, [&](Dwarf_Die& unit) {
    Dwarf_Die whole = whole_unit(unit);
    visit(whole);
  });
}

template <typename Visit>
void ModuleSymbols::for_each_definition(int type, Visit&& visit) {
  const int count = dwfl_module_getsymtab(module_);
  for (int i = 1; i < count; ++i) {
    GElf_Sym symbol;
    GElf_Addr address = 0;
    const char* name =
        dwfl_module_getsym_info(module_, i, &symbol, &address, nullptr, nullptr, nullptr);
    if (name == nullptr || GELF_ST_TYPE(symbol.st_info) != type) continue;
    if (symbol.st_shndx != SHN_UNDEF) visit(name, symbol, address);
  }
}

void ModuleSymbols::for_each_function_symbol(const VisitSymbol& visit) {
  GElf_Addr elf_bias = 0;
  if (dwfl_module_getelf(module_, &elf_bias) == nullptr) return;
  for_each_definition(STT_FUNC, [&](const char* name, const GElf_Sym& symbol, GElf_Addr address) {
    visit(name, address - elf_bias, symbol.st_size);
  });
}

void ModuleSymbols::for_each_thread_local(const VisitSymbol& visit) {
  for_each_definition(STT_TLS, [&](const char* name, const GElf_Sym& symbol, GElf_Addr) {
    if (symbol.st_size != 0) visit(name, symbol.st_value, symbol.st_size);
  });
}

bool ModuleSymbols::refers_to(std::string_view name) {
  const int count = dwfl_module_getsymtab(module_);
  for (int i = 1; i < count; ++i) {
    GElf_Sym symbol;
    const char* other = dwfl_module_getsym(module_, i, &symbol, nullptr);
    if (other == nullptr) continue;
    // The linker's own table has the version, too: "abort@GLIBC_2.17".
    const std::string_view text(other);
    if (text.substr(0, text.find('@')) == name) return true;
  }
  return false;
}

uint64_t ModuleSymbols::file_address(Dwarf_Addr in_dwarf) {
  GElf_Addr elf_bias = 0;
  dwfl_module_getelf(module_, &elf_bias);
  return in_dwarf + dwarf_bias_ - elf_bias;
}

bool ModuleSymbols::find_unit(Dwarf_Addr address, Dwarf_Die& unit) {
  if (dwarf() == nullptr) return false;
  auto after = std::upper_bound(
      ranges_.begin(), ranges_.end(), address,
      [](Dwarf_Addr value, const UnitRange& range) { return value < range.begin; });
  if (after == ranges_.begin()) return false;
  const UnitRange& range = *std::prev(after);
  return address < range.end && dwarf_offdie(dwarf_, range.unit, &unit) != nullptr;
}

std::vector<SourcePosition> ModuleSymbols::positions(uint64_t address) {
  std::vector<SourcePosition> result;
  // Where elfutils placed the file differs from where the DWARF's addresses begin only for
  // prelinked and separate debug files.
  Dwarf_Die unit;
  GElf_Addr elf_bias = 0;
  if (dwfl_module_getelf(module_, &elf_bias) == nullptr) return result;
  Dwarf_Addr in_dwarf = address;
  bool known = excerpt() != nullptr && excerpt()->find_unit(address, unit);
  if (!known && dwarf() != nullptr) {
    in_dwarf = address + elf_bias - dwarf_bias_;
    known = find_unit(in_dwarf, unit);
  }
  if (known) {
    SourcePosition position;
    if (Dwarf_Line* line = dwarf_getsrc_die(&unit, in_dwarf)) {
      position.file = absolute_file(dwarf_linesrc(line, nullptr, nullptr), unit);
      dwarf_lineno(line, &position.line);
    }
    Dwarf_Die whole = whole_unit(unit);
    for (Dwarf_Die& scope : nested_scopes(whole, in_dwarf)) {
      const int tag = dwarf_tag(&scope);
      if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram) continue;
      bool is_full = false;
      position.function = function_name(scope, is_full);
      // gcc gives the body of a lambda no linkage name in its DWARF; the symbol table has it.
      if (tag == DW_TAG_subprogram && !is_full) {
        if (const std::optional<Symbol> known = symbol(address)) position.function = known->name;
      }
      result.push_back(position);
      if (tag == DW_TAG_subprogram) return result;
      move_to_call_site(scope, unit, whole, position);
    }
    if (result.empty() && position.line != 0) result.push_back(position);
  }
  if (result.empty() || result.back().function.empty()) {
    const std::optional<Symbol> function = symbol(address);
    if (function && result.empty()) result.emplace_back();
    if (function) result.back().function = function->name;
  }
  return result;
}

std::vector<Dwarf_Die> ModuleSymbols::scopes(uint64_t address, Dwarf_Addr& in_dwarf) {
  Dwarf_Die unit;
  GElf_Addr elf_bias = 0;
  if (dwfl_module_getelf(module_, &elf_bias) == nullptr || dwarf() == nullptr) return {};
  in_dwarf = address + elf_bias - dwarf_bias_;
  if (!find_unit(in_dwarf, unit)) return {};
  Dwarf_Die whole = whole_unit(unit);
  return nested_scopes(whole, in_dwarf);
}

// The scopes around an address as the code is nested, innermost first, up to the function. libdw
// looks at all of a unit for that, which for a program of one large unit is all there is.
std::vector<Dwarf_Die> ModuleSymbols::nested_scopes(Dwarf_Die& unit, Dwarf_Addr address) {
  const Dwarf_Die* function = functions_[unit.addr].find(unit, address);
  return function == nullptr ? std::vector<Dwarf_Die>{} : scopes_inside(*function, address);
}

std::optional<ModuleSymbols::FrameEnd> ModuleSymbols::frame_end(uint64_t address) {
  GElf_Addr elf_bias = 0;
  if (dwfl_module_getelf(module_, &elf_bias) == nullptr) return std::nullopt;
  Dwarf_Addr bias = 0;
  Dwarf_CFI* rules = dwfl_module_eh_cfi(module_, &bias);
  if (rules == nullptr) rules = dwfl_module_dwarf_cfi(module_, &bias);
  Dwarf_Frame* frame = nullptr;
  if (rules == nullptr || dwarf_cfi_addrframe(rules, address + elf_bias - bias, &frame) != 0) {
    return std::nullopt;
  }
  const std::unique_ptr<Dwarf_Frame, decltype(&std::free)> owned(frame, &std::free);
  Dwarf_Op* operations = nullptr;
  size_t count = 0;
  if (dwarf_frame_cfa(frame, &operations, &count) != 0 || count != 1) return std::nullopt;
  const Dwarf_Op& only = operations[0];
  if (only.atom >= DW_OP_breg0 && only.atom <= DW_OP_breg31) {
    return FrameEnd{static_cast<unsigned>(only.atom - DW_OP_breg0),
                    static_cast<int64_t>(only.number)};
  }
  if (only.atom != DW_OP_bregx) return std::nullopt;
  return FrameEnd{static_cast<unsigned>(only.number), static_cast<int64_t>(only.number2)};
}

std::optional<uint64_t> ModuleSymbols::offset_in_thread_locals(uint64_t from_thread_pointer) {
  GElf_Addr bias = 0;
  Elf* elf = dwfl_module_getelf(module_, &bias);
  size_t count = 0;
  if (elf == nullptr || elf_getphdrnum(elf, &count) != 0) return std::nullopt;
  for (size_t i = 0; i < count; ++i) {
    GElf_Phdr header;
    if (gelf_getphdr(elf, static_cast<int>(i), &header) == nullptr) return std::nullopt;
    if (header.p_type != PT_TLS) continue;
    const uint64_t align = std::max<uint64_t>(header.p_align, 1);
#if defined(__x86_64__)
    const uint64_t begin = 0 - (header.p_memsz + align - 1) / align * align;
#else
    const uint64_t begin = std::max<uint64_t>(16, align);  // behind two words of libc's
#endif
    const uint64_t offset = from_thread_pointer - begin;
    return offset < header.p_memsz ? std::optional(offset) : std::nullopt;
  }
  return std::nullopt;
}

std::optional<Symbol> ModuleSymbols::symbol(uint64_t address) {
  GElf_Addr elf_bias = 0;
  if (dwfl_module_getelf(module_, &elf_bias) == nullptr) return std::nullopt;
  GElf_Off offset = 0;
  GElf_Sym sym{};
  const char* name =
      dwfl_module_addrinfo(module_, address + elf_bias, &offset, &sym, nullptr, nullptr, nullptr);
  // Marks of the linker (`__TMC_END__`, `__bss_start`) come first, being global, but have no size:
  // a variable of the program's may begin there.
  if (name != nullptr && sym.st_size == 0 && GELF_ST_TYPE(sym.st_info) != STT_FUNC) {
    const GElf_Addr wanted = address + elf_bias;
    for_each_definition(STT_OBJECT, [&](const char* other, const GElf_Sym& at, GElf_Addr begin) {
      if (wanted < begin || wanted - begin >= at.st_size) return;
      name = other;
      sym = at;
      offset = wanted - begin;
    });
  }
  if (name == nullptr || name[0] == '\0' || (sym.st_size != 0 && offset >= sym.st_size)) {
    return std::nullopt;
  }
  // The linker's table has the version, too, of what was copied here: "stderr@GLIBC_2.2.5". clang
  // takes a variable apart, "_ZL5stats.0", and the demangler does not know about that.
  std::string_view text(name);
  text = text.substr(0, text.find('@'));
  const size_t dot = text.rfind('.');
  const bool is_part = text.starts_with("_Z") && dot != text.npos && dot + 1 < text.size() &&
                       text.find_first_not_of("0123456789", dot + 1) == text.npos;
  if (is_part) text = text.substr(0, dot);
  return Symbol{demangle(std::string(text).c_str()), offset, sym.st_size};
}

}  // namespace jostle::report
