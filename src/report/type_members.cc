#include "src/report/type_members.h"

#include <dwarf.h>
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "src/report/text.h"

namespace jostle::report {

bool type_of(Dwarf_Die& die, Dwarf_Die& type) {
  Dwarf_Attribute attribute;
  if (dwarf_attr_integrate(&die, DW_AT_type, &attribute) == nullptr) return false;
  return dwarf_formref_die(&attribute, &type) != nullptr;
}

uint64_t size_of(Dwarf_Die& type) {
  Dwarf_Word size = 0;
  return dwarf_aggregate_size(&type, &size) == 0 ? size : 0;
}

std::string plain_offset(uint64_t offset) { return offset == 0 ? "" : fmt::format("+{}", offset); }

namespace {

constexpr int kDeepest = 32;  // hostile types may contain themselves

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
  if (depth > kDeepest || !strip(type)) return plain_offset(offset);
  const int tag = dwarf_tag(&type);
  if (tag == DW_TAG_array_type) {
    Dwarf_Die element;
    if (!type_of(type, element)) return plain_offset(offset);
    const uint64_t size = size_of(element);
    if (size == 0) return plain_offset(offset);
    return indices(type, offset / size) + describe(element, offset % size, depth + 1);
  }
  if (tag != DW_TAG_structure_type && tag != DW_TAG_class_type) return plain_offset(offset);
  Member member;
  if (!member_at(type, offset, member)) return plain_offset(offset);
  const uint64_t inside = offset - member.begin;
  // std::array is nothing but its elements; other classes of the library keep their secrets.
  if (member.name == "_M_elems") return describe(member.type, inside, depth + 1);
  if (is_library_member(member.name)) return plain_offset(offset);
  const std::string inner = describe(member.type, inside, depth + 1);
  return member.name.empty() ? inner : fmt::format(".{}{}", escape(member.name), inner);
}

}  // namespace

std::string member_text(Dwarf_Die type, uint64_t offset) { return describe(type, offset, 0); }

bool without_qualifiers(Dwarf_Die& type) { return strip(type); }

}  // namespace jostle::report
