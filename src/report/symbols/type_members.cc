// SPDX-License-Identifier: Apache-2.0
#include "src/report/symbols/type_members.h"

#include <dwarf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <vector>

#include "src/report/symbols/library_words.h"
#include "src/report/words/text.h"

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

std::string_view die_name(Dwarf_Die& die) {
  const char* name = dwarf_diename(&die);
  return name == nullptr ? std::string_view() : name;
}

std::string plain_offset(uint64_t offset) { return offset == 0 ? "" : fmt::format("+{}", offset); }

namespace {

bool is_wrapper(Dwarf_Die& type) {
  const int tag = dwarf_tag(&type);
  return tag == DW_TAG_typedef || tag == DW_TAG_const_type || tag == DW_TAG_volatile_type ||
         tag == DW_TAG_atomic_type || tag == DW_TAG_restrict_type;
}

// A typedef by which libc hides what is behind it.
bool is_library_typedef(Dwarf_Die& type) {
  if (dwarf_tag(&type) != DW_TAG_typedef) return false;
  const std::string_view name = die_name(type);
  return name.starts_with("pthread_") || name.starts_with("__gthread_") || name == "sem_t" ||
         name == "mtx_t" || name == "cnd_t" || name == "once_flag";
}

// Behind typedefs, const and the like. False: the name of one of them says that it is a library's.
bool strip(Dwarf_Die& type) {
  for (int i = 0; i < kDeepestType; ++i) {
    if (is_library_typedef(type)) return false;
    if (!is_wrapper(type)) return true;
    Dwarf_Die inner;
    if (!type_of(type, inner)) return false;
    type = inner;
  }
  return false;
}

std::optional<uint64_t> attribute(Dwarf_Die& die, unsigned name) {
  Dwarf_Attribute attribute;
  Dwarf_Word value;
  if (dwarf_attr_integrate(&die, name, &attribute) == nullptr) return std::nullopt;
  if (dwarf_formudata(&attribute, &value) != 0) return std::nullopt;
  return value;
}

// Members of the standard library's classes begin with an underscore and a capital.
bool is_library_member(std::string_view name) {
  return name.size() > 2 && name[0] == '_' && std::isupper(static_cast<unsigned char>(name[1])) &&
         name[2] == '_';
}

bool is_any_of(std::string_view name, std::initializer_list<std::string_view> all) {
  return std::ranges::find(all, name) != all.end();
}

std::string_view without_arguments(std::string_view name) { return name.substr(0, name.find('<')); }

// Objects to synchronise with: whatever an operation touches inside of one is the object.
bool is_synchronisation(Dwarf_Die& type) {
  const bool has_such_a_name =
      is_any_of(without_arguments(die_name(type)), {"mutex",
                                                    "timed_mutex",
                                                    "recursive_mutex",
                                                    "recursive_timed_mutex",
                                                    "shared_mutex",
                                                    "shared_timed_mutex",
                                                    "condition_variable",
                                                    "condition_variable_any",
                                                    "counting_semaphore",
                                                    "latch",
                                                    "barrier",
                                                    "once_flag",
                                                    "thread",
                                                    "jthread",
                                                    "future",
                                                    "promise",
                                                    "shared_future",
                                                    "packaged_task",
                                                    "stop_source",
                                                    "stop_token",
                                                    "stop_callback",
                                                    "atomic_flag"});
  return has_such_a_name && is_in_std(type);
}

// The compilers' "_vptr.Shape" and "_vptr$Shape" are of a class, not of a program.
std::string shown_name(const std::string& member) {
  return member.starts_with("_vptr") ? "vptr" : escape(member);
}

struct Member {
  Dwarf_Die type;
  std::string name;  // empty: a base class, or an anonymous struct
  uint64_t begin = 0, size = 0;
  bool is_bit_field = false;
  bool is_base = false;
};

// False: it is no part of the object (a static member), or nobody knows where it lies.
bool read_member(Dwarf_Die& child, Member& member) {
  const int tag = dwarf_tag(&child);
  if (tag != DW_TAG_member && tag != DW_TAG_inheritance) return false;
  if (dwarf_hasattr(&child, DW_AT_external) || dwarf_hasattr(&child, DW_AT_declaration))
    return false;
  // Where a virtual base lies the object knows, and not its type.
  if (tag == DW_TAG_inheritance && attribute(child, DW_AT_virtuality).value_or(0) != 0)
    return false;
  if (!type_of(child, member.type)) return false;
  member.is_base = tag == DW_TAG_inheritance;
  member.name = member.is_base ? std::string_view() : die_name(child);
  member.size = size_of(member.type);
  member.begin = attribute(child, DW_AT_data_member_location).value_or(0);
  const std::optional<uint64_t> bits = attribute(child, DW_AT_bit_size);
  member.is_bit_field = bits.has_value();
  if (!bits) return true;
  // In bytes: those that have some of the bits.
  uint64_t first = attribute(child, DW_AT_data_bit_offset).value_or(UINT64_MAX);
  if (first == UINT64_MAX) {  // as gcc wrote it before DWARF 5: from the most significant bit
    const uint64_t from_top = attribute(child, DW_AT_bit_offset).value_or(0);
    if (from_top + *bits > 8 * member.size) return false;
    first = 8 * (member.begin + member.size) - from_top - *bits;
  } else {
    first += 8 * member.begin;
  }
  member.begin = first / 8;
  member.size = (first + std::max<uint64_t>(*bits, 1) + 7) / 8 - member.begin;
  return true;
}

bool has_no_members(Dwarf_Die type, int depth) {
  Dwarf_Die child;
  if (depth > kDeepestType || !bare_type(type) || !is_structure(type)) return false;
  for (int more = dwarf_child(&type, &child); more == 0; more = dwarf_siblingof(&child, &child)) {
    Member inner;
    if (read_member(child, inner) && !has_no_members(inner.type, depth + 1)) return false;
  }
  return true;
}

// Members that only the object itself can find, in a virtual base, or of which no debug information
// tells.
bool has_unknown_members(Dwarf_Die& structure) {
  if (dwarf_hasattr(&structure, DW_AT_declaration)) return true;
  Dwarf_Die child;
  for (int more = dwarf_child(&structure, &child); more == 0;
       more = dwarf_siblingof(&child, &child)) {
    if (dwarf_tag(&child) != DW_TAG_inheritance) continue;
    if (attribute(child, DW_AT_virtuality).value_or(0) != 0) return true;
    Dwarf_Die base;
    if (type_of(child, base) && bare_type(base) && has_unknown_members(base)) return true;
  }
  return false;
}

// The last member that begins before this byte, if its type is only declared.
std::optional<Member> declared_member_before(Dwarf_Die& structure, uint64_t offset) {
  std::optional<Member> last;
  uint64_t end = size_of(structure);
  Dwarf_Die child;
  for (int more = dwarf_child(&structure, &child); more == 0;
       more = dwarf_siblingof(&child, &child)) {
    Member member;
    if (!read_member(child, member)) continue;
    if (member.begin > offset) {
      end = std::min(end, member.begin);
    } else if (!last || member.begin >= last->begin) {
      last = member;
    }
  }
  if (!last || last->size != 0 || !dwarf_hasattr(&last->type, DW_AT_declaration)) {
    return std::nullopt;
  }
  last->size = end - last->begin;
  return last;
}

// The members of a struct or union that have some of these bytes.
std::vector<Member> members_at(Dwarf_Die& structure, uint64_t offset, uint64_t size) {
  std::vector<Member> found;
  Dwarf_Die child;
  for (int more = dwarf_child(&structure, &child); more == 0;
       more = dwarf_siblingof(&child, &child)) {
    Member member;
    if (!read_member(child, member)) continue;
    if (offset < member.begin + member.size && member.begin < offset + size)
      found.push_back(member);
  }
  // Of a type that is only declared here (a library's, says clang) the size is not known: it goes
  // on to the next member.
  if (found.empty()) {
    if (std::optional<Member> last = declared_member_before(structure, offset)) {
      found.push_back(*last);
    }
  }
  // An empty class counts a byte that is somebody else's.
  if (found.size() > 1) {
    std::erase_if(found, [](const Member& member) {
      return member.size == 1 && has_no_members(member.type, 0);
    });
  }
  return found;
}

// "[1][2]": the element's number, split up by the lengths of the array's dimensions.
std::string indices(Dwarf_Die& array, uint64_t element) {
  std::vector<uint64_t> lengths;
  Dwarf_Die child;
  for (int more = dwarf_child(&array, &child); more == 0; more = dwarf_siblingof(&child, &child)) {
    if (dwarf_tag(&child) != DW_TAG_subrange_type) continue;
    const uint64_t last = attribute(child, DW_AT_upper_bound).value_or(0);
    lengths.push_back(attribute(child, DW_AT_count).value_or(last + 1));
  }
  std::string text;
  for (size_t i = lengths.size(); i-- > 1;) {
    const uint64_t length = std::max<uint64_t>(lengths[i], 1);
    text.insert(0, fmt::format("[{}]", element % length));
    element /= length;
  }
  return fmt::format("[{}]{}", element, text);
}

PlaceInType only_offset(uint64_t offset) { return {plain_offset(offset), offset == 0}; }

bool is_string(Dwarf_Die& type) {
  return die_name(type).starts_with("basic_string<") && is_in_std(type);
}

// The class of a lambda. clang gives it no name, nor does gcc to most.
bool is_closure(Dwarf_Die& structure) {
  if (!is_structure(structure)) return false;
  const std::string_view name = die_name(structure);
  if (!name.empty()) return name.starts_with("<lambda");
  Dwarf_Die child;
  for (int more = dwarf_child(&structure, &child); more == 0;
       more = dwarf_siblingof(&child, &child)) {
    if (dwarf_tag(&child) == DW_TAG_subprogram && die_name(child) == "operator()") return true;
  }
  return false;
}

bool is_reference(Dwarf_Die& type) { return dwarf_tag(&type) == DW_TAG_reference_type; }

// gcc writes "__total".
std::string captured_name(std::string_view member) {
  if (member.starts_with("__")) member.remove_prefix(2);
  return escape(member);
}

class Descent {
 public:
  explicit Descent(uint64_t size) : size_(std::max<uint64_t>(size, 1)), exact_(size) {}

  PlaceInType describe(Dwarf_Die type, uint64_t offset, int depth) {
    const Dwarf_Die declared = type;
    if (depth > kDeepestType) return part(offset);
    if (!strip(type)) return {"", true};
    const int tag = dwarf_tag(&type);
    if (tag == DW_TAG_array_type) return element(type, offset, depth);
    if (tag == DW_TAG_union_type) return alternative(type, offset, depth);
    if (!is_structure(type)) {
      PlaceInType place = only_offset(offset);
      if (offset == 0 && exact_ == size_of(type)) place.value = declared;
      place.is_part_of_value = exact_ != 0 && exact_ != size_of(type);
      return place;
    }
    if (is_synchronisation(type)) {
      PlaceInType place{"", true};
      // Most have several numbers, of which none is one that a program knows.
      const bool has_number = is_any_of(without_arguments(die_name(type)),
                                        {"counting_semaphore", "latch", "atomic_flag"});
      place.is_part_of_value = exact_ != 0 && !has_number;
      return place;
    }
    if (holds_an_element(type)) return held_element(type, offset, depth);
    if (is_string(type)) return string_part(type, offset, depth);
    return member(type, offset, depth);
  }

 private:
  // Bytes of which no member is all there is: what is in them is nobody's value.
  PlaceInType part(uint64_t offset) const {
    PlaceInType place = only_offset(offset);
    place.is_part_of_value = exact_ != 0;
    return place;
  }

  // Something of it, and no more is known: of a stream, what it has in common with others.
  PlaceInType whole() const {
    PlaceInType place{"", true};
    place.is_part_of_value = exact_ != 0;
    return place;
  }

  // The capacity of a string and its characters, if they are few, share their bytes: nobody can
  // tell them apart but by a single character.
  PlaceInType string_part(Dwarf_Die& type, uint64_t offset, int depth) {
    const std::vector<Member> found = members_at(type, offset, size_);
    const bool is_shared =
        found.size() == 1 && found.front().name.empty() && !found.front().is_base;
    if (found.size() == 1 && (!is_shared || size_ == 1)) return member(type, offset, depth);
    return whole();
  }

  // Room for an object that is constructed later.
  static bool holds_an_element(Dwarf_Die& type) {
    return is_any_of(without_arguments(die_name(type)), {"__aligned_membuf", "__aligned_buffer"});
  }

  PlaceInType held_element(Dwarf_Die& buffer, uint64_t offset, int depth) {
    Dwarf_Die element;
    if (!first_template_type(buffer, element)) return part(offset);
    PlaceInType inner = describe(element, offset, depth + 1);
    if (inner.inside.empty()) inner.inside = type_name(element);
    return inner;
  }

  PlaceInType element(Dwarf_Die& array, uint64_t offset, int depth) {
    Dwarf_Die element;
    if (!type_of(array, element)) return part(offset);
    const uint64_t size = size_of(element);
    if (size == 0) return part(offset);
    if (offset % size + size_ > size) return part(offset);  // several of them
    PlaceInType inner = describe(element, offset % size, depth + 1);
    inner.text.insert(0, indices(array, offset / size));
    return inner;
  }

  PlaceInType member(Dwarf_Die& structure, uint64_t offset, int depth) {
    std::vector<Member> found = members_at(structure, offset, size_);
    if (found.empty()) return has_unknown_members(structure) ? whole() : part(offset);
    if (std::ranges::all_of(found, &Member::is_bit_field)) return bit_fields(found);
    if (found.size() != 1) return part(offset);  // more than one member at once
    Member& only = found.front();
    if (offset < only.begin || offset + size_ > only.begin + only.size) return part(offset);
    const uint64_t inside = offset - only.begin;
    const bool was_in_unique_ptr = in_unique_ptr_;
    in_unique_ptr_ = in_unique_ptr_ || die_name(structure).starts_with("unique_ptr<");
    PlaceInType inner = describe(only.type, inside, depth + 1);
    in_unique_ptr_ = was_in_unique_ptr;
    if (is_closure(structure) && is_reference(only.type)) inner.captured = captured_name(only.name);
    if (is_library_member(only.name)) return library_member(structure, only, std::move(inner));
    if (!only.name.empty()) inner.text.insert(0, "." + shown_name(only.name));
    return inner;
  }

  // What a reader would call it who knows the library from outside. The names of its own are told
  // where there is no other word, and only the innermost.
  PlaceInType library_member(Dwarf_Die& structure, const Member& member, PlaceInType inner) {
    const std::string_view owner = die_name(structure);
    // These are nothing but what they hold.
    if (is_any_of(member.name, {"_M_elems", "_M_i", "_M_b", "_M_base", "_M_local_buf", "_M_data"}))
      return inner;
    if (member.name == "_M_head_impl" && owner.starts_with("_Head_base<")) {
      // "0", or "0UL" as clang writes it.
      const std::string number(owner.substr(11, owner.find_first_not_of("0123456789", 11) - 11));
      if (!in_unique_ptr_) inner.text.insert(0, fmt::format(".get<{}>", number));
      return inner;
    }
    if (member.name == "_M_ptr" && owner.starts_with("__shared_ptr<")) return inner;
    if (!inner.inside.empty()) return inner;
    if (const auto word = library_word(without_arguments(owner), member.name, inner.text)) {
      // An iterator of a deque is four pointers: one is where it is.
      const bool is_iterator = owner.starts_with("_Deque_iterator<");
      if (is_iterator && member.name != "_M_cur") inner.is_part_of_value = true;
      if (!word->empty()) inner.text = fmt::format(".{}", *word);
      return inner;
    }
    const bool inner_has_name = inner.text.find("._M_") != std::string::npos ||
                                inner.text.find(".get<") != std::string::npos;
    Dwarf_Die type = member.type;
    const bool is_class = bare_type(type) && is_structure(type);
    if (is_class && (inner_has_name || !inner.text.empty() || inner.value)) return inner;
    inner.text.insert(0, "." + shown_name(member.name));
    return inner;
  }

  // Fields of bits that share the bytes: an access is to all of them.
  static PlaceInType bit_fields(const std::vector<Member>& fields) {
    std::string names;
    for (const Member& field : fields) {
      if (!field.name.empty()) names += (names.empty() ? "" : ",") + escape(field.name);
    }
    return {fields.size() == 1 ? "." + names : fmt::format(".{{{}}}", names)};
  }

  // All names of a union's member are true; which one is meant shows the size, if at all.
  PlaceInType alternative(Dwarf_Die& type, uint64_t offset, int depth) {
    std::vector<PlaceInType> places;
    for (Member& member : members_at(type, offset, size_)) {
      PlaceInType inner = describe(member.type, offset - member.begin, depth + 1);
      if (!inner.named) continue;
      if (is_library_member(member.name)) {
        inner = library_member(type, member, std::move(inner));
      } else if (!member.name.empty()) {
        inner.text.insert(0, "." + shown_name(member.name));
      }
      places.push_back(std::move(inner));
    }
    const auto fits = [](const PlaceInType& place) { return place.value.has_value(); };
    if (std::ranges::count_if(places, fits) == 1) return *std::ranges::find_if(places, fits);
    if (places.size() == 1) return places.front();
    return part(offset);
  }

  uint64_t size_;
  uint64_t exact_;
  bool in_unique_ptr_ = false;
};

}  // namespace

PlaceInType place_in_type(Dwarf_Die type, uint64_t offset, uint32_t size) {
  return Descent(size).describe(type, offset, 0);
}

NamedMemory named(std::string name, PlaceInType place) {
  return {std::move(name), place.value, place.is_part_of_value, std::move(place.stored),
          std::move(place.captured)};
}

bool without_qualifiers(Dwarf_Die& type) { return strip(type); }

bool bare_type(Dwarf_Die& type) {
  for (int i = 0; i < kDeepestType; ++i) {
    if (!is_wrapper(type)) return true;
    Dwarf_Die inner;
    if (!type_of(type, inner)) return false;
    type = inner;
  }
  return false;
}

namespace {

// As everybody writes it.
std::string with_plain_strings(std::string name) {
  constexpr std::string_view kString =
      "basic_string<char, std::char_traits<char>, std::allocator<char> >";
  for (size_t at; (at = name.find(kString)) != std::string::npos;) {
    size_t begin = at;
    for (const std::string_view scope : {"__cxx11::", "std::"}) {
      if (name.substr(0, begin).ends_with(scope)) begin -= scope.size();
    }
    name.replace(begin, at + kString.size() - begin, "std::string");
  }
  return name;
}

}  // namespace

std::string type_name(Dwarf_Die type) {
  for (int i = 0; i < kDeepestType; ++i) {
    if (!die_name(type).empty()) return with_plain_strings(escape(die_name(type)));
    Dwarf_Die inner;
    if (!is_wrapper(type) || !type_of(type, inner)) return {};
    type = inner;
  }
  return {};
}

// The declaration behind an inlined copy or a definition: it is inside its class.
Dwarf_Die declaration_of(Dwarf_Die die) {
  for (int i = 0; i < 4; ++i) {
    Dwarf_Attribute attribute;
    Dwarf_Die next;
    if (dwarf_attr(&die, DW_AT_abstract_origin, &attribute) == nullptr &&
        dwarf_attr(&die, DW_AT_specification, &attribute) == nullptr) {
      break;
    }
    if (dwarf_formref_die(&attribute, &next) == nullptr) break;
    die = next;
  }
  return die;
}

std::vector<Dwarf_Die> scopes_around(Dwarf_Die die) {
  std::vector<Dwarf_Die> scopes;
  const Dwarf_Off wanted = dwarf_dieoffset(&die);
  Dwarf_Die parent;
  if (dwarf_diecu(&die, &parent, nullptr, nullptr) == nullptr) return {};
  while (dwarf_dieoffset(&parent) != wanted) {
    scopes.push_back(parent);
    Dwarf_Die child, last;
    bool inside = false;
    for (int more = dwarf_child(&parent, &child); more == 0 && dwarf_dieoffset(&child) <= wanted;
         more = dwarf_siblingof(&child, &child)) {
      last = child;
      inside = true;
    }
    if (!inside) return {};
    parent = last;
  }
  return scopes;
}

bool class_of(Dwarf_Die& function, Dwarf_Die& owner) {
  std::vector<Dwarf_Die> scopes = scopes_around(declaration_of(function));
  if (scopes.empty() || !is_structure(scopes.back())) return false;
  owner = scopes.back();
  return true;
}

bool is_in_std(const Dwarf_Die& die) {
  std::vector<Dwarf_Die> scopes = scopes_around(die);
  return std::ranges::any_of(scopes, [](Dwarf_Die& scope) {
    return dwarf_tag(&scope) == DW_TAG_namespace && die_name(scope) == "std";
  });
}

bool first_template_type(Dwarf_Die& die, Dwarf_Die& type) {
  Dwarf_Die child;
  for (int more = dwarf_child(&die, &child); more == 0; more = dwarf_siblingof(&child, &child)) {
    if (dwarf_tag(&child) == DW_TAG_template_type_parameter) return type_of(child, type);
  }
  return false;
}

bool is_structure(Dwarf_Die& type) {
  const int tag = dwarf_tag(&type);
  return tag == DW_TAG_structure_type || tag == DW_TAG_class_type;
}

}  // namespace jostle::report
