// SPDX-License-Identifier: Apache-2.0
#include "src/report/symbols/local_variables.h"

#include <dwarf.h>

#include <optional>
#include <string_view>

#include "src/report/symbols/type_members.h"
#include "src/report/words/text.h"

namespace jostle::report {
namespace {

// Where a location says: relative to what, and by how much. Nothing when it is in a register, or
// takes more than one operation to compute.
std::optional<Dwarf_Op> only_operation(Dwarf_Die& die, unsigned attribute_name, Dwarf_Addr pc) {
  Dwarf_Attribute attribute;
  if (dwarf_attr_integrate(&die, attribute_name, &attribute) == nullptr) return std::nullopt;
  Dwarf_Op* operations = nullptr;
  size_t count = 0;
  if (dwarf_getlocation_addr(&attribute, pc, &operations, &count, 1) != 1 || count != 1) {
    return std::nullopt;
  }
  return operations[0];
}

// What the offsets of a function's variables count from, relative to the end of its frame.
std::optional<int64_t> frame_base(Dwarf_Die& function, Dwarf_Addr pc) {
  const std::optional<Dwarf_Op> base = only_operation(function, DW_AT_frame_base, pc);
  if (!base) return std::nullopt;
  if (base->atom == DW_OP_call_frame_cfa) return 0;
#if defined(__x86_64__)
  // The frame pointer, with itself and the return address above it.
  if (base->atom == DW_OP_reg6) return -16;
#endif
  return std::nullopt;
}

template <typename Visit>
void for_each_variable(Dwarf_Die& scope, Visit&& visit) {
  Dwarf_Die child;
  for (int more = dwarf_child(&scope, &child); more == 0; more = dwarf_siblingof(&child, &child)) {
    const int tag = dwarf_tag(&child);
    if (tag == DW_TAG_variable || tag == DW_TAG_formal_parameter) visit(child);
  }
}

}  // namespace

NamedMemory local_variable(ModuleSymbols& symbols, uint64_t pc, uint64_t frame, uint64_t address,
                           uint32_t size) {
  Dwarf_Addr in_dwarf = 0;
  std::vector<Dwarf_Die> scopes = symbols.scopes(pc, in_dwarf);
  if (scopes.empty()) return {};
  const std::optional<int64_t> base = frame_base(scopes.back(), in_dwarf);
  if (!base) return {};
  const auto wanted = static_cast<int64_t>(address - frame);
  NamedMemory found;
  for (Dwarf_Die& scope : scopes) {
    for_each_variable(scope, [&](Dwarf_Die& variable) {
      const std::optional<Dwarf_Op> location = only_operation(variable, DW_AT_location, in_dwarf);
      Dwarf_Die type;
      const char* name = dwarf_diename(&variable);
      if (!found.name.empty() || !location || location->atom != DW_OP_fbreg || name == nullptr) {
        return;
      }
      if (!type_of(variable, type)) return;
      const int64_t begin = static_cast<int64_t>(location->number) + *base;
      if (wanted < begin || wanted >= begin + static_cast<int64_t>(size_of(type))) return;
      PlaceInType place = place_in_type(type, static_cast<uint64_t>(wanted - begin), size);
      found = {escape(name) + place.text, place.value, place.is_part_of_value};
    });
    if (!found.name.empty()) break;
  }
  return found;
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

}  // namespace jostle::report
