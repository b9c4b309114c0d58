#include "src/report/variable_types.h"

#include <dwarf.h>
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "src/report/text.h"

namespace jostle::report {
namespace {

constexpr uint64_t kMostEntries = 4'000'000;  // of the debug information that are looked at
constexpr int kDeepest = 32;                  // hostile types may contain themselves

bool type_of(Dwarf_Die& die, Dwarf_Die& type) {
  Dwarf_Attribute attribute;
  if (dwarf_attr_integrate(&die, DW_AT_type, &attribute) == nullptr) return false;
  return dwarf_formref_die(&attribute, &type) != nullptr;
}

// Behind typedefs, const and the like. False: the name of one of them says that it is a library's.
bool strip(Dwarf_Die& type) {
  for (int i = 0; i < kDeepest; ++i) {
    const int tag = dwarf_tag(&type);
    const char* name = dwarf_diename(&type);
    const std::string_view text = name == nullptr ? "" : name;
    if (tag == DW_TAG_typedef && (text.starts_with("pthread_") || text.starts_with("__") ||
                                  text == "sem_t" || text == "mtx_t" || text == "cnd_t")) {
      return false;
    }
    const bool is_wrapper = tag == DW_TAG_typedef || tag == DW_TAG_const_type ||
                            tag == DW_TAG_volatile_type || tag == DW_TAG_atomic_type;
    if (!is_wrapper) return true;
    Dwarf_Die inner;
    if (!type_of(type, inner)) return false;
    type = inner;
  }
  return false;
}

uint64_t number(Dwarf_Die& die, unsigned attribute_name, uint64_t fallback) {
  Dwarf_Attribute attribute;
  Dwarf_Word value;
  if (dwarf_attr_integrate(&die, attribute_name, &attribute) == nullptr) return fallback;
  return dwarf_formudata(&attribute, &value) == 0 ? value : fallback;
}

uint64_t size_of(Dwarf_Die& type) {
  Dwarf_Word size = 0;
  return dwarf_aggregate_size(&type, &size) == 0 ? size : 0;
}

// Is it declared inside namespace std? Their members begin with an underscore and a capital.
bool is_library_member(std::string_view name) { return name.starts_with("_M_"); }

struct Member {
  Dwarf_Die type;
  std::string name;  // empty: a base class, or an anonymous struct
  uint64_t begin;
};

// The member of a struct that holds `offset`.
bool member_at(Dwarf_Die& structure, uint64_t offset, Member& found) {
  Dwarf_Die child;
  if (dwarf_child(&structure, &child) != 0) return false;
  do {
    const int tag = dwarf_tag(&child);
    if (tag != DW_TAG_member && tag != DW_TAG_inheritance) continue;
    Dwarf_Die type;
    if (dwarf_hasattr(&child, DW_AT_external) || !type_of(child, type)) continue;
    const uint64_t begin = number(child, DW_AT_data_member_location, 0);
    const uint64_t size = size_of(type);
    if (offset < begin || offset >= begin + size) continue;
    const char* name = tag == DW_TAG_member ? dwarf_diename(&child) : nullptr;
    found = {type, name == nullptr ? "" : name, begin};
    return true;
  } while (dwarf_siblingof(&child, &child) == 0);
  return false;
}

std::string rest(uint64_t offset) { return offset == 0 ? "" : fmt::format("+{}", offset); }

// "[1][2]": the element's number, split up by the lengths of the array's dimensions.
std::string indices(Dwarf_Die& array, uint64_t element) {
  std::vector<uint64_t> lengths;
  Dwarf_Die child;
  for (int more = dwarf_child(&array, &child); more == 0; more = dwarf_siblingof(&child, &child)) {
    if (dwarf_tag(&child) != DW_TAG_subrange_type) continue;
    const uint64_t last = number(child, DW_AT_upper_bound, 0);
    lengths.push_back(number(child, DW_AT_count, last + 1));
  }
  std::string text;
  for (size_t i = lengths.size(); i-- > 1;) {
    const uint64_t length = std::max<uint64_t>(lengths[i], 1);
    text.insert(0, fmt::format("[{}]", element % length));
    element /= length;
  }
  return fmt::format("[{}]{}", element, text);
}

std::string describe(Dwarf_Die type, uint64_t offset, int depth) {
  if (depth > kDeepest || !strip(type)) return rest(offset);
  const int tag = dwarf_tag(&type);
  if (tag == DW_TAG_array_type) {
    Dwarf_Die element;
    if (!type_of(type, element)) return rest(offset);
    const uint64_t size = size_of(element);
    if (size == 0) return rest(offset);
    return indices(type, offset / size) + describe(element, offset % size, depth + 1);
  }
  if (tag != DW_TAG_structure_type && tag != DW_TAG_class_type) return rest(offset);
  Member member;
  if (!member_at(type, offset, member)) return rest(offset);
  const uint64_t inside = offset - member.begin;
  // std::array is nothing but its elements; other classes of the library keep their secrets.
  if (member.name == "_M_elems") return describe(member.type, inside, depth + 1);
  if (is_library_member(member.name)) return rest(offset);
  const std::string inner = describe(member.type, inside, depth + 1);
  return member.name.empty() ? inner : fmt::format(".{}{}", escape(member.name), inner);
}

}  // namespace

std::string VariableTypes::member(uint64_t address, uint64_t offset) {
  if (!indexed_) index();
  const auto type = types_.find(address);
  return type == types_.end() ? rest(offset) : describe(type->second, offset, 0);
}

void VariableTypes::index() {
  indexed_ = true;
  symbols_.for_each_unit([this](Dwarf_Die& unit) { index_children(unit, 0); });
}

void VariableTypes::index_children(Dwarf_Die& parent, int depth) {
  Dwarf_Die child;
  if (depth > kDeepest || dwarf_child(&parent, &child) != 0) return;
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
  if (dwarf_attr(&variable, DW_AT_location, &location) == nullptr) return;
  Dwarf_Op* operations = nullptr;
  size_t count = 0;
  if (dwarf_getlocation(&location, &operations, &count) != 0 || count != 1) return;
  uint64_t address = 0;
  if (operations[0].atom == DW_OP_addr) {
    address = operations[0].number;
  } else if (operations[0].atom == DW_OP_addrx || operations[0].atom == DW_OP_GNU_addr_index) {
    Dwarf_Attribute indexed;
    Dwarf_Addr value;
    if (dwarf_getlocation_attr(&location, &operations[0], &indexed) != 0) return;
    if (dwarf_formaddr(&indexed, &value) != 0) return;
    address = value;
  } else {
    return;
  }
  Dwarf_Die type;
  if (type_of(variable, type)) types_.emplace(symbols_.file_address(address), type);
}

}  // namespace jostle::report
