// SPDX-License-Identifier: Apache-2.0
#include "src/report/symbols/local_variables.h"

#include <dwarf.h>

#include <map>
#include <optional>
#include <span>
#include <string_view>

#include "src/report/symbols/type_members.h"
#include "src/report/words/text.h"

namespace jostle::report {
namespace {

#if defined(__x86_64__)
constexpr unsigned kStackPointer = 7, kFramePointer = 6, kFirstArgument = 5;
#else
constexpr unsigned kStackPointer = 31, kFirstArgument = 0;
#endif

// What a location counts from: the operation without its number.
struct From {
  bool is_register = false;  // else the end of the frame, or for variables what the function says
  unsigned number = 0;
  int64_t offset = 0;
};

// Nothing when it is in a register, or takes more than one operation to compute.
std::optional<From> memory_at(std::span<const Dwarf_Op> operations) {
  if (operations.size() != 1) return std::nullopt;
  const Dwarf_Op& only = operations.front();
  const auto offset = static_cast<int64_t>(only.number);
  if (only.atom == DW_OP_fbreg) return From{false, 0, offset};
  if (only.atom >= DW_OP_breg0 && only.atom <= DW_OP_breg31) {
    return From{true, static_cast<unsigned>(only.atom - DW_OP_breg0), offset};
  }
  return std::nullopt;
}

// The frame of a call, as locations see it.
class FrameOfCall {
 public:
  FrameOfCall(ModuleSymbols& symbols, const Call& call, Dwarf_Die& function, Dwarf_Addr pc)
      : symbols_(symbols), call_(call), base_(base_of(function, pc)) {}

  std::optional<uint64_t> address(std::span<const Dwarf_Op> location) const {
    const std::optional<From> from = memory_at(location);
    if (!from) return std::nullopt;
    const std::optional<uint64_t> begin = from->is_register ? content(from->number) : base_;
    if (!begin) return std::nullopt;
    return *begin + static_cast<uint64_t>(from->offset);
  }

 private:
  // What the offsets of a function's variables count from.
  std::optional<uint64_t> base_of(Dwarf_Die& function, Dwarf_Addr pc) const {
    Dwarf_Attribute attribute;
    Dwarf_Op* operations = nullptr;
    size_t count = 0;
    if (dwarf_attr_integrate(&function, DW_AT_frame_base, &attribute) == nullptr ||
        dwarf_getlocation_addr(&attribute, pc, &operations, &count, 1) != 1 || count != 1) {
      return std::nullopt;
    }
    const uint8_t atom = operations[0].atom;
    if (atom == DW_OP_call_frame_cfa) return call_.end;
    if (atom < DW_OP_reg0 || atom > DW_OP_reg31) return std::nullopt;
    return content(atom - DW_OP_reg0);
  }

  // Of a register, if it points into the frame.
  std::optional<uint64_t> content(unsigned number) const {
    const std::optional<ModuleSymbols::FrameEnd> end = symbols_.frame_end(call_.pc);
    if (end && end->number == number) return call_.end - static_cast<uint64_t>(end->above);
    if (number == kStackPointer && call_.begin != 0) return call_.begin;
#if defined(__x86_64__)
    // With itself and the return address above it.
    if (number == kFramePointer) return call_.end - 16;
#endif
    return std::nullopt;
  }

  ModuleSymbols& symbols_;
  const Call& call_;
  std::optional<uint64_t> base_;
};

template <typename Visit>
void for_each_variable(Dwarf_Die& scope, Visit&& visit) {
  Dwarf_Die child;
  for (int more = dwarf_child(&scope, &child); more == 0; more = dwarf_siblingof(&child, &child)) {
    const int tag = dwarf_tag(&child);
    if (tag == DW_TAG_variable || tag == DW_TAG_formal_parameter) visit(child);
  }
}

// What of the variable that begins there has the bytes at `address`. Empty: none.
NamedMemory part_of(Dwarf_Die& variable, uint64_t begin, uint64_t address, uint32_t size) {
  Dwarf_Die type;
  const char* name = dwarf_diename(&variable);
  if (name == nullptr || !type_of(variable, type)) return {};
  if (address < begin || address >= begin + size_of(type)) return {};
  PlaceInType place = place_in_type(type, address - begin, size);
  return named(escape(name) + place.text, place);
}

// Optimising compilers tell for each part of a function what a debugger should show, which may be a
// constant while the variable is in memory as it was before. Two variables in the same place at
// different times: neither is named.
NamedMemory at_another_time(std::vector<Dwarf_Die>& scopes, const FrameOfCall& frame,
                            uint64_t address, uint32_t size) {
  std::map<std::string, NamedMemory> found;
  for (Dwarf_Die& scope : scopes) {
    for_each_variable(scope, [&](Dwarf_Die& variable) {
      Dwarf_Attribute attribute;
      if (dwarf_attr_integrate(&variable, DW_AT_location, &attribute) == nullptr) return;
      Dwarf_Addr base, from, to;
      Dwarf_Op* operations = nullptr;
      size_t count = 0;
      for (ptrdiff_t next = 0; (next = dwarf_getlocations(&attribute, next, &base, &from, &to,
                                                          &operations, &count)) > 0;) {
        const std::optional<uint64_t> begin = frame.address({operations, count});
        if (!begin) continue;
        NamedMemory part = part_of(variable, *begin, address, size);
        if (!part.name.empty()) found.emplace(part.name, part);
      }
    });
  }
  return found.size() == 1 ? found.begin()->second : NamedMemory{};
}

}  // namespace

NamedMemory local_variable(ModuleSymbols& symbols, const Call& call, uint64_t address,
                           uint32_t size) {
  Dwarf_Addr pc = 0;
  std::vector<Dwarf_Die> scopes = symbols.scopes(call.pc, pc);
  if (scopes.empty()) return {};
  const FrameOfCall frame(symbols, call, scopes.back(), pc);
  for (Dwarf_Die& scope : scopes) {
    NamedMemory found;
    for_each_variable(scope, [&](Dwarf_Die& variable) {
      Dwarf_Attribute attribute;
      if (!found.name.empty() ||
          dwarf_attr_integrate(&variable, DW_AT_location, &attribute) == nullptr) {
        return;
      }
      Dwarf_Op* operations = nullptr;
      size_t count = 0;
      if (dwarf_getlocation_addr(&attribute, pc, &operations, &count, 1) != 1) return;
      if (const auto begin = frame.address({operations, count})) {
        found = part_of(variable, *begin, address, size);
      }
    });
    if (!found.name.empty()) return found;
  }
  return at_another_time(scopes, frame, address, size);
}

std::vector<Pointee> pointees(ModuleSymbols& symbols, uint64_t pc) {
  std::vector<Pointee> result;
  Dwarf_Addr in_dwarf = 0;
  for (Dwarf_Die& scope : symbols.scopes(pc, in_dwarf)) {
    for_each_variable(scope, [&](Dwarf_Die& variable) {
      Dwarf_Die type, to;
      if (!type_of(variable, type) || !bare_type(type)) return;
      const int tag = dwarf_tag(&type);
      if (tag != DW_TAG_pointer_type && tag != DW_TAG_reference_type) return;
      if (!type_of(type, to)) return;
      Dwarf_Die structure = to;
      if (!without_qualifiers(structure) || !is_structure(structure)) return;
      // typedef struct { … } Name
      const std::string name = type_name(structure).empty() ? type_name(to) : type_name(structure);
      const char* pointer = dwarf_diename(&variable);
      const std::string_view variable_name = pointer == nullptr ? "" : pointer;
      if (name.empty()) return;
      result.push_back(
          {structure, name, escape(std::string(variable_name)), variable_name == "this"});
    });
  }
  return result;
}

namespace {

// Where a function begins, its variables are counted from the argument that it has got.
void add_handed(Dwarf_Die& scope, Dwarf_Addr begin, std::vector<HandedVariable>& into) {
  for_each_variable(scope, [&](Dwarf_Die& variable) {
    Dwarf_Attribute attribute;
    Dwarf_Die type;
    const char* name = dwarf_diename(&variable);
    if (name == nullptr || !type_of(variable, type)) return;
    if (dwarf_attr_integrate(&variable, DW_AT_location, &attribute) == nullptr) return;
    Dwarf_Op* operations = nullptr;
    size_t count = 0;
    if (dwarf_getlocation_addr(&attribute, begin, &operations, &count, 1) != 1) return;
    // gcc writes the argument, and what is to be added to it.
    uint64_t more = 0;
    if (count == 2 && operations[1].atom == DW_OP_plus_uconst) more = operations[--count].number;
    const std::optional<From> from = memory_at({operations, count});
    if (!from || !from->is_register || from->number != kFirstArgument || from->offset < 0) return;
    into.push_back({escape(name), type, static_cast<uint64_t>(from->offset) + more});
  });
  Dwarf_Die child;
  for (int more = dwarf_child(&scope, &child); more == 0; more = dwarf_siblingof(&child, &child)) {
    if (dwarf_tag(&child) == DW_TAG_lexical_block) add_handed(child, begin, into);
  }
}

}  // namespace

std::vector<HandedVariable> handed_variables(ModuleSymbols& symbols, uint64_t pc) {
  std::vector<HandedVariable> result;
  Dwarf_Addr in_dwarf = 0, begin = 0;
  std::vector<Dwarf_Die> scopes = symbols.scopes(pc, in_dwarf);
  if (scopes.empty() || dwarf_lowpc(&scopes.back(), &begin) != 0) return result;
  add_handed(scopes.back(), begin, result);
  return result;
}

}  // namespace jostle::report
