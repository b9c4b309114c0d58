// SPDX-License-Identifier: Apache-2.0
#include "src/report/symbols/variable_types.h"

#include <dwarf.h>

#include "src/report/symbols/type_members.h"
#include "src/report/words/text.h"

namespace jostle::report {
namespace {

constexpr uint64_t kMostEntries = 4'000'000;  // of the debug information that are looked at

}  // namespace

PlaceInType VariableTypes::place(uint64_t address, uint64_t offset, uint32_t size) {
  if (!indexed_) index();
  const auto found = variables_.find(address);
  if (found == variables_.end()) return {plain_offset(offset), offset == 0};
  const Variable& variable = found->second;
  if (!variable.stored) return place_in_type(variable.type, variable.offset + offset, size);
  PlaceInType place{plain_offset(offset), offset == 0};
  if (offset == 0 && size == variable.stored->size() && size != 0) {
    place.value = variable.type;
    place.stored = variable.stored;
  } else {
    place.is_part_of_value = true;
  }
  return place;
}

NamedMemory VariableTypes::thread_local_at(uint64_t offset, uint32_t size) {
  if (!indexed_) index();
  auto after = thread_locals_.upper_bound(offset);
  if (after == thread_locals_.begin()) return {};
  const auto& [begin, variable] = *std::prev(after);
  Dwarf_Die die = variable, type;
  const char* name = dwarf_diename(&die);
  if (name == nullptr || !type_of(die, type) || offset - begin >= size_of(type)) return {};
  PlaceInType place = place_in_type(type, offset - begin, size);
  return named(escape(name) + place.text, place);
}

void VariableTypes::index() {
  indexed_ = true;
  symbols_.for_each_unit([this](Dwarf_Die& unit) { index_children(unit, 0); });
  place_thread_locals();
}

// One that other files see; else the only one of that name and size: optimised-out locals have no
// place either.
std::optional<Dwarf_Die> VariableTypes::unplaced(const std::string& name, uint64_t size) {
  std::vector<Dwarf_Die> others;
  const auto [begin, end] = unplaced_.equal_range(name);
  for (auto i = begin; i != end; ++i) {
    Dwarf_Die die = i->second, type;
    Dwarf_Attribute attribute;
    if (!type_of(die, type) || size_of(type) != size) continue;
    if (dwarf_attr_integrate(&die, DW_AT_external, &attribute) != nullptr) return die;
    others.push_back(die);
  }
  return others.size() == 1 ? std::optional(others[0]) : std::nullopt;
}

// gcc for aarch64 does not say where they are (it has no relocation for that), but the linker does.
void VariableTypes::place_thread_locals() {
  symbols_.for_each_thread_local([this](const char* symbol, uint64_t offset, uint64_t size) {
    if (thread_locals_.contains(offset)) return;
    std::optional<Dwarf_Die> variable = unplaced(symbol, size);
    if (!variable) {
      // One inside a function: "step()::count" in C++, "count.0" in C.
      const std::string name = demangle(symbol);
      const size_t scope = name.rfind("::");
      const size_t begin = scope == name.npos ? 0 : scope + 2;
      variable = unplaced(name.substr(begin, name.find('.', begin) - begin), size);
    }
    if (variable) thread_locals_.emplace(offset, *variable);
  });
  unplaced_.clear();
}

void VariableTypes::index_children(Dwarf_Die& parent, int depth) {
  Dwarf_Die child;
  if (depth > kDeepestType || dwarf_child(&parent, &child) != 0) return;
  do {
    if (++visited_ > kMostEntries) return;
    switch (dwarf_tag(&child)) {
      case DW_TAG_variable:
        add(child);
        break;
      case DW_TAG_namespace:
      case DW_TAG_subprogram:
      case DW_TAG_lexical_block:
        index_children(child, depth + 1);
        break;
      default:
        break;
    }
  } while (dwarf_siblingof(&child, &child) == 0);
}

void VariableTypes::add(Dwarf_Die& variable) {
  Dwarf_Attribute location;
  if (dwarf_attr(&variable, DW_AT_location, &location) == nullptr) {
    Dwarf_Attribute constant;
    if (dwarf_attr(&variable, DW_AT_const_value, &constant) != nullptr) return;
    const char* name = linkage_name(variable);
    if (name == nullptr) name = dwarf_diename(&variable);
    if (name != nullptr) unplaced_.emplace(name, variable);
    return;
  }
  Dwarf_Op* operations = nullptr;
  size_t count = 0;
  if (dwarf_getlocation(&location, &operations, &count) != 0) return;
  const bool is_thread_local = count == 2 && (operations[1].atom == DW_OP_form_tls_address ||
                                              operations[1].atom == DW_OP_GNU_push_tls_address);
  if (is_thread_local &&
      (operations[0].atom == DW_OP_const8u || operations[0].atom == DW_OP_const4u ||
       operations[0].atom == DW_OP_addr)) {
    thread_locals_.emplace(operations[0].number, variable);
    return;
  }
  Dwarf_Die type;
  if (count == 0 || !type_of(variable, type)) return;
  const std::span<const Dwarf_Op> all(operations, count);
  if (add_pieces(location, all, type)) return;
  const std::optional<uint64_t> address = address_in(location, all.front());
  if (!address) return;
  Variable known{type};
  if (count != 1) known.stored.emplace(all.subspan(1));
  variables_.emplace(*address, std::move(known));
}

// By the file's own addresses. Nothing: the operation is none that gives one.
std::optional<uint64_t> VariableTypes::address_in(Dwarf_Attribute& location,
                                                  const Dwarf_Op& operation) {
  if (operation.atom == DW_OP_addr) return symbols_.file_address(operation.number);
  if (operation.atom != DW_OP_addrx && operation.atom != DW_OP_GNU_addr_index) return std::nullopt;
  Dwarf_Attribute indexed;
  Dwarf_Addr value;
  if (dwarf_getlocation_attr(&location, &operation, &indexed) != 0) return std::nullopt;
  if (dwarf_formaddr(&indexed, &value) != 0) return std::nullopt;
  return symbols_.file_address(value);
}

// Members of a struct that clang made variables of their own: an address and a size for each.
// False: it is in one piece.
bool VariableTypes::add_pieces(Dwarf_Attribute& location, std::span<const Dwarf_Op> operations,
                               Dwarf_Die& type) {
  if (operations.back().atom != DW_OP_piece) return false;
  uint64_t offset = 0;
  for (size_t i = 0; i < operations.size(); ++i) {
    if (operations[i].atom != DW_OP_piece) continue;
    const bool is_plain = i > 0 && (i == 1 || operations[i - 2].atom == DW_OP_piece);
    const std::optional<uint64_t> address =
        is_plain ? address_in(location, operations[i - 1]) : std::nullopt;
    if (address) variables_.emplace(*address, Variable{type, offset});
    offset += operations[i].number;
  }
  return true;
}

}  // namespace jostle::report
