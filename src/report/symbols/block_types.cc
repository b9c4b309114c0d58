// SPDX-License-Identifier: Apache-2.0
#include "src/report/symbols/block_types.h"

#include <dwarf.h>
#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "src/report/words/creation.h"
#include "src/report/words/record_view.h"
#include "src/report/words/text.h"

namespace jostle::report {
namespace {

void collect_types(Dwarf_Die& parent, int depth, std::multimap<std::string, Dwarf_Die>& types) {
  Dwarf_Die child;
  if (depth > kDeepestType || dwarf_child(&parent, &child) != 0) return;
  do {
    const int tag = dwarf_tag(&child);
    const bool is_type = is_structure(child) || tag == DW_TAG_typedef || tag == DW_TAG_union_type ||
                         tag == DW_TAG_base_type || tag == DW_TAG_enumeration_type;
    if (is_type && !dwarf_hasattr(&child, DW_AT_declaration) && !die_name(child).empty()) {
      const std::string_view name = die_name(child);
      types.emplace(name.substr(0, name.find('<')), child);
    }
    if (tag == DW_TAG_namespace || is_structure(child)) collect_types(child, depth + 1, types);
  } while (dwarf_siblingof(&child, &child) == 0);
}

bool first_base(Dwarf_Die type, Dwarf_Die& base) {
  if (!bare_type(type)) return false;
  Dwarf_Die child;
  for (int more = dwarf_child(&type, &child); more == 0; more = dwarf_siblingof(&child, &child)) {
    if (dwarf_tag(&child) == DW_TAG_inheritance) return type_of(child, base);
  }
  return false;
}

// What is not a structure but a number, or a pointer.
bool is_scalar(Dwarf_Die type) {
  if (!bare_type(type)) return false;
  const int tag = dwarf_tag(&type);
  return tag == DW_TAG_base_type || tag == DW_TAG_pointer_type || tag == DW_TAG_enumeration_type;
}

// Nothing: the compiler may have made one for the sake of a member, and does not say so.
std::optional<bool> has_destructor(Dwarf_Die type) {
  if (!bare_type(type)) return std::nullopt;
  if (!is_structure(type)) return false;
  bool has_classes = false;
  Dwarf_Die child;
  for (int more = dwarf_child(&type, &child); more == 0; more = dwarf_siblingof(&child, &child)) {
    const int tag = dwarf_tag(&child);
    if (tag == DW_TAG_subprogram && die_name(child).starts_with('~')) return true;
    Dwarf_Die member;
    const bool is_part = tag == DW_TAG_member || tag == DW_TAG_inheritance;
    if (is_part && type_of(child, member) && !is_scalar(member)) has_classes = true;
  }
  return has_classes ? std::nullopt : std::optional(false);
}

BlockType block_of(Dwarf_Die type, bool is_array = false, uint64_t before = 0) {
  BlockType block{type, type_name(type), is_array, before};
  if (block.name.empty() && bare_type(type)) block.name = type_name(type);
  Dwarf_Die to;
  if (block.name.empty() && dwarf_tag(&type) == DW_TAG_pointer_type && type_of(type, to)) {
    const std::string name = type_name(to);
    block.name = name == "_Hash_node_base" ? "bucket" : name.empty() ? "pointer" : name + "*";
  }
  return block;
}

bool begins_with_any(std::string_view text, std::initializer_list<std::string_view> all) {
  return std::ranges::any_of(all, [&](std::string_view each) { return text.starts_with(each); });
}

// What std::thread keeps of its function and arguments for the new thread.
std::string thread_part(const std::string& text) {
  constexpr std::string_view kElement = ".get<";
  if (!text.starts_with(kElement)) return "thread state";
  const size_t end = text.find('>');
  const std::string number = text.substr(kElement.size(), end - kElement.size());
  const std::string rest = text.substr(end + 1);
  if (number != "0") return fmt::format("thread argument {}{}", number, rest);
  if (rest.empty()) return "thread function";
  // The compiler's names of what a lambda captures: "__counter", "__this".
  std::string_view captured = std::string_view(rest).substr(1);
  if (captured.starts_with("__")) captured.remove_prefix(2);
  return fmt::format("captured {}", captured);
}

// What a future and its promise, or task, have in common.
bool is_future_state(std::string_view type) {
  return begins_with_any(
      type, {"_State_baseV2", "_Async_state", "_Task_state", "_Deferred_state", "_Result<"});
}

// Flags and counts of the library's own: a number that says nothing to others.
NamedMemory without_value(NamedMemory memory) {
  memory.is_part_of_value = true;
  return memory;
}

// "withdraw" of "_Z8withdrawi.Frame": what a coroutine keeps while it is suspended. Empty: it is
// something else.
std::string coroutine_of(std::string_view type) {
  constexpr std::string_view kFrame = ".Frame";
  if (!type.starts_with("_Z") || !type.ends_with(kFrame)) return {};
  type.remove_suffix(kFrame.size());
  return short_function(demangle(std::string(type).c_str()));
}

// ".awaiter.pool" of gcc's ".Aw0_4_5.pool", ".promise.value" of "._Coro_promise.value": what the
// coroutine awaits, and what the compiler keeps, have no names in the source.
std::string coroutine_part(std::string_view place) {
  constexpr std::string_view kOwn = "._Coro_";
  if (place.starts_with(kOwn)) return fmt::format(".{}", place.substr(kOwn.size()));
  if (!place.starts_with(".Aw")) return std::string(place);
  const size_t end = place.find_first_not_of("0123456789_", 3);
  return fmt::format(".awaiter{}", end == place.npos ? "" : place.substr(end));
}

// What lies in a node of a container, or beside the counters of a shared_ptr.
std::string element_name(const PlaceInType& place) {
  if (is_future_state(place.inside)) return "shared state";
  // Of a map's element the names of its two parts say enough.
  const bool is_pair = place.inside.starts_with("pair<") && !place.text.empty();
  return (is_pair ? "pair" : place.inside) + place.text;
}

// What links the elements of a container. Empty: it is something else.
std::string_view node_name(std::string_view type) {
  if (type.starts_with("_Rb_tree_node<")) return "tree node";
  if (type.starts_with("_Hash_node<")) return "hash node";
  return begins_with_any(type, {"_List_node<", "_Fwd_list_node<"}) ? "list node" : "";
}

// The control block of a shared_ptr is known by what it shares.
std::string shared_name(const BlockType& block) {
  const size_t begin = block.name.find('<') + 1;
  int depth = 0;
  size_t end = begin;
  for (; end < block.name.size(); ++end) {
    const char c = block.name[end];
    if (c == '<') ++depth;
    if (depth == 0 && (c == ',' || c == '>')) break;
    if (c == '>') --depth;
  }
  return fmt::format("shared_ptr<{}>", block.name.substr(begin, end - begin));
}

// What a pointer or reference is to; other types stay. std::thread keeps a copy of what it is
// given.
void strip_reference(Dwarf_Die& type) {
  const int tag = dwarf_tag(&type);
  Dwarf_Die to;
  const bool refers = tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type ||
                      tag == DW_TAG_rvalue_reference_type;
  if (refers && type_of(type, to)) type = to;
  bare_type(type);
}

// Calls visit(base) for the classes that a class is derived from directly, until one says true.
template <typename Visit>
bool any_base(Dwarf_Die type, Visit&& visit) {
  Dwarf_Die child, base;
  for (int more = dwarf_child(&type, &child); more == 0; more = dwarf_siblingof(&child, &child)) {
    if (dwarf_tag(&child) == DW_TAG_inheritance && type_of(child, base) && visit(base)) return true;
  }
  return false;
}

// In libstdc++ a tuple is derived from a class that is derived from one for each element.
bool first_of_tuple(Dwarf_Die& tuple, Dwarf_Die& type) {
  return any_base(tuple, [&](Dwarf_Die& all) {
    return any_base(all, [&](Dwarf_Die& one) {
      return die_name(one).starts_with("_Head_base<0") && first_template_type(one, type);
    });
  });
}

// What the constructor of std::thread for this function makes: of the states that `thread` has, the
// one for a tuple that begins with the function.
std::optional<BlockType> thread_state(Dwarf_Die& thread, Dwarf_Die function, uint64_t size) {
  strip_reference(function);
  Dwarf_Die child;
  for (int more = dwarf_child(&thread, &child); more == 0; more = dwarf_siblingof(&child, &child)) {
    if (!die_name(child).starts_with("_State_impl<") || size_of(child) != size) continue;
    Dwarf_Die invoker, tuple, first;
    if (!first_template_type(child, invoker) || !first_template_type(invoker, tuple)) continue;
    if (!first_of_tuple(tuple, first)) continue;
    strip_reference(first);
    if (dwarf_dieoffset(&first) == dwarf_dieoffset(&function)) return block_of(child);
  }
  return std::nullopt;
}

// An array in a block of so many bytes. In front of one that `new` has made, and whose elements
// have destructors, lies their number.
std::optional<BlockType> placed_in(BlockType block, uint64_t size, bool by_new) {
  constexpr uint64_t kNumber = 8;
  const uint64_t each = size_of(block.type);
  const bool fits_alone = size % each == 0;
  const bool fits_behind = by_new && size > kNumber && (size - kNumber) % each == 0;
  if (!fits_alone && !fits_behind) return std::nullopt;
  if (fits_alone && fits_behind) {
    const std::optional<bool> destroyed = has_destructor(block.type);
    if (!destroyed) return std::nullopt;
    if (*destroyed) block.before = kNumber;
  } else if (fits_behind) {
    block.before = kNumber;
  }
  return block;
}

// What std::make_unique has made for this type: an object, or an array.
std::optional<BlockType> made_unique(Dwarf_Die type, uint64_t size) {
  if (!bare_type(type)) return std::nullopt;
  Dwarf_Die element;
  if (dwarf_tag(&type) == DW_TAG_array_type && type_of(type, element)) {
    return size_of(element) == 0 ? std::nullopt : placed_in(block_of(element, true), size, true);
  }
  return size_of(type) == size ? std::optional(block_of(type)) : std::nullopt;
}

}  // namespace

// The innermost function that allocates for others says for whom.
std::optional<BlockType> BlockTypes::from_library(uintptr_t pc, uint64_t size) {
  uint64_t in_file = 0;
  ModuleSymbols* symbols = symbols_.symbols_at(pc - 1, in_file);
  if (symbols == nullptr) return std::nullopt;
  Dwarf_Addr in_dwarf = 0;
  for (Dwarf_Die& scope : symbols->scopes(in_file, in_dwarf)) {
    const int tag = dwarf_tag(&scope);
    if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram) continue;
    Dwarf_Die owner, type;
    if (die_name(scope) == "allocate" && class_of(scope, owner) &&
        begins_with_any(die_name(owner), {"__new_allocator<", "new_allocator<", "allocator<"}) &&
        first_template_type(owner, type)) {
      const uint64_t each = size_of(type);
      if (each == 0 || size % each != 0) return std::nullopt;
      return block_of(type, die_name(owner).find("_Sp_counted") == std::string_view::npos);
    }
    if (die_name(scope).starts_with("thread<") && class_of(scope, owner) &&
        die_name(owner) == "thread") {
      Dwarf_Die constructor = declaration_of(scope);
      if (first_template_type(constructor, type)) {
        if (auto state = thread_state(owner, type, size)) return state;
      }
    }
    // GoogleTest makes the fixture of a test: a class of its own, of the one that the test's author
    // has written.
    if (die_name(scope) == "CreateTest" && class_of(scope, owner) &&
        die_name(owner).starts_with("TestFactoryImpl<") && first_template_type(owner, type) &&
        size_of(type) == size) {
      BlockType block = block_of(type);
      Dwarf_Die fixture;
      if (first_base(type, fixture)) block.name = type_name(fixture);
      return block;
    }
    Dwarf_Die origin = declaration_of(scope);
    if (begins_with_any(die_name(scope), {"make_unique<", "make_unique_for_overwrite<"}) &&
        first_template_type(origin, type)) {
      if (std::optional<BlockType> block = made_unique(type, size)) return block;
    }
  }
  return std::nullopt;
}

// The scopes at `pc` from the inside, the compilation unit last; empty: it has no debug
// information.
std::vector<Dwarf_Die> BlockTypes::scopes_and_unit(uintptr_t pc) {
  uint64_t in_file = 0;
  ModuleSymbols* symbols = symbols_.symbols_at(pc - 1, in_file);
  if (symbols == nullptr) return {};
  Dwarf_Addr in_dwarf = 0;
  std::vector<Dwarf_Die> scopes = symbols->scopes(in_file, in_dwarf);
  Dwarf_Die unit;
  if (scopes.empty() || dwarf_diecu(&scopes.back(), &unit, nullptr, nullptr) == nullptr) return {};
  scopes.push_back(unit);
  return scopes;
}

bool BlockTypes::find_type(const std::string& name, uintptr_t pc, uint64_t size, Dwarf_Die& type) {
  std::vector<Dwarf_Die> scopes = scopes_and_unit(pc);
  if (scopes.empty()) return false;
  Dwarf_Die unit = scopes.back();
  const auto [known, is_new] = units_.try_emplace(dwarf_dieoffset(&unit));
  if (is_new) collect_types(unit, 0, known->second);
  const auto [first, last] = known->second.equal_range(name.substr(0, name.find('<')));
  bool found = false;
  for (auto each = first; each != last; ++each) {
    const uint64_t whole = size_of(each->second);
    if (whole == 0 || whole > size) continue;
    if (name.find('<') != std::string::npos && die_name(each->second) != name) continue;
    if (found) {
      // A typedef and what it is of are one and the same; others are not.
      Dwarf_Die a = type, b = each->second;
      if (!bare_type(a) || !bare_type(b) || dwarf_dieoffset(&a) != dwarf_dieoffset(&b))
        return false;
    }
    type = each->second;
    found = true;
  }
  return found;
}

// What a variable of the function at `pc`, or a global one, points to.
bool BlockTypes::find_pointee(const std::string& variable, uintptr_t pc, Dwarf_Die& type) {
  for (Dwarf_Die& scope : scopes_and_unit(pc)) {
    Dwarf_Die child;
    for (int more = dwarf_child(&scope, &child); more == 0;
         more = dwarf_siblingof(&child, &child)) {
      const int tag = dwarf_tag(&child);
      if (tag != DW_TAG_variable && tag != DW_TAG_formal_parameter) continue;
      const char* name = dwarf_diename(&child);
      Dwarf_Die pointer;
      if (name == nullptr || name != variable || !type_of(child, pointer)) continue;
      return bare_type(pointer) && dwarf_tag(&pointer) == DW_TAG_pointer_type &&
             type_of(pointer, type);
    }
  }
  return false;
}

std::optional<BlockType> BlockTypes::from_source(const Frame& frame, uintptr_t pc, uint64_t size) {
  if (frame.line == 0) return std::nullopt;
  std::string line = sources_.text(frame.file, frame.line);
  // Long calls begin a line of their own, behind what they are assigned to.
  if (begins_with_any(trimmed(line), {"mmap", "shmat"}) && frame.line > 1) {
    line.insert(0, sources_.text(frame.file, frame.line - 1) + " ");
  }
  const Creation creation = creation_in(line);
  if (creation.what.empty()) return std::nullopt;
  Dwarf_Die type;
  std::string name = creation.what;
  if (creation.has_more_room) {
    const bool is_known =
        creation.is_variable ? find_pointee(name, pc, type) : find_type(name, pc, size, type);
    const uint64_t each = is_known ? size_of(type) : 0;
    // A char is just a byte of anything.
    if (each == 0 || each > size || (each == 1 && is_scalar(type))) return std::nullopt;
    const BlockType block = block_of(type, is_scalar(type));
    return block.name.empty() ? std::nullopt : std::optional(block);
  }
  if (creation.is_variable) {
    const auto [known, is_new] = pointees_.try_emplace(pc);
    uint64_t in_file = 0;
    ModuleSymbols* symbols = symbols_.symbols_at(pc - 1, in_file);
    if (is_new && symbols != nullptr) known->second = pointees(*symbols, in_file);
    const auto pointee = std::ranges::find(known->second, name, &Pointee::variable);
    if (pointee != known->second.end()) {
      type = pointee->type;
      name = pointee->name;
    } else if (find_pointee(creation.what, pc, type)) {
      name = die_name(type);  // of numbers
    } else {
      return std::nullopt;
    }
  } else if (!find_type(name, pc, size, type)) {
    return std::nullopt;
  }
  const uint64_t each = size_of(type);
  if (each == 0) return std::nullopt;
  BlockType block = block_of(type, creation.is_array);
  if (block.name.empty()) block.name = name;
  if (each == size) return block.is_array = false, block;
  if (!creation.is_array) return std::nullopt;
  return placed_in(block, size, creation.by_new);
}

// What a header of a library creates for itself.
std::optional<BlockType> BlockTypes::from_header(uintptr_t pc, uint64_t size) {
  for (const Frame& frame : symbols_.frames(pc)) {
    if (!frame.plumbing) return std::nullopt;
    if (std::optional<BlockType> block = from_source(frame, pc, size)) return block;
  }
  return std::nullopt;
}

std::optional<BlockType> BlockTypes::allocated(const channel::Stack& stack, uint64_t size) {
  const uint32_t depth = std::min<uint32_t>(stack.depth, channel::kMaxStack);
  for (uint32_t i = 0; i < depth; ++i) {
    if (std::optional<BlockType> block = from_library(stack.pc[i], size)) return block;
    if (std::optional<BlockType> block = from_header(stack.pc[i], size)) return block;
    const Frame frame = symbols_.line_that_matters(stack.pc[i]);
    if (frame.plumbing) continue;
    return from_source(frame, stack.pc[i], size);
  }
  return std::nullopt;
}

std::map<std::string, BlockType> BlockTypes::accessed(uintptr_t pc, uint64_t block_size,
                                                      uint64_t offset, uint32_t size) {
  uint64_t in_file = 0;
  ModuleSymbols* symbols = symbols_.symbols_at(pc - 1, in_file);
  if (symbols == nullptr) return {};
  const auto [known, is_new] = pointees_.try_emplace(pc);
  if (is_new) known->second = pointees(*symbols, in_file);
  std::map<std::string, BlockType> object, others;
  for (const Pointee& pointee : known->second) {
    // What make_shared allocates begins with two counters and a table of functions.
    constexpr uint64_t kShared = 16;
    for (const uint64_t before : {uint64_t{0}, kShared}) {
      Dwarf_Die type = pointee.type;
      const uint64_t whole = size_of(type);
      const bool fits = whole != 0 && (whole + 7) / 8 * 8 + before == (block_size + 7) / 8 * 8;
      if (!fits || offset < before || offset - before + size > whole) continue;
      const BlockType block{type, pointee.name, false, before};
      const std::string name = BlockTypes::name(block, block_size, offset, size).name;
      if (name.empty() || name == pointee.name) continue;
      // The outermost object that fits: a class that has nothing but a member of the same size is
      // what the program knows.
      if (pointee.is_this) object = {{name, block}};
      others.emplace(name, block);
    }
  }
  return object.empty() ? others : object;
}

std::optional<BlockType> BlockTypes::pointed_to(Dwarf_Die pointer, uint64_t size) {
  Dwarf_Die type;
  if (!bare_type(pointer) || dwarf_tag(&pointer) != DW_TAG_pointer_type) return std::nullopt;
  if (!type_of(pointer, type)) return std::nullopt;
  const uint64_t whole = size_of(type);
  // A char is just a byte of anything.
  if (whole == 0 || whole > size || (whole == 1 && is_scalar(type))) return std::nullopt;
  return block_of(type);
}

NamedMemory BlockTypes::name(const BlockType& block, uint64_t block_size, uint64_t offset,
                             uint32_t size) {
  Dwarf_Die type = block.type;
  const uint64_t each = size_of(type);
  if (each == 0 || offset < block.before || offset >= block_size) return {};
  const uint64_t at = offset - block.before;
  const bool has_several = block.is_array && block_size - block.before >= 2 * each;
  if (!has_several && at >= each) return {};
  PlaceInType place = place_in_type(type, at % each, size);
  if (!place.named) return {};
  if (is_future_state(place.inside)) return without_value(named(element_name(place), place));
  if (!place.inside.empty()) return named(element_name(place), place);
  if (block.name.starts_with("_State_impl<")) return named(thread_part(place.text), place);
  if (is_future_state(block.name)) return without_value(named("shared state", place));
  if (block.name == "_Stop_state_t") return without_value(named("stop state", place));
  // The tree of tickets, by which threads meet in pairs.
  if (block.name == "__state_t") return without_value(named("barrier state", place));
  if (block.name.starts_with("_Sp_counted_")) return named(shared_name(block) + place.text, place);
  if (const std::string function = coroutine_of(block.name); !function.empty()) {
    return named(fmt::format("coroutine {}{}", function, coroutine_part(place.text)), place);
  }
  if (const std::string_view node = node_name(block.name); !node.empty()) {
    return named(std::string(node) + place.text, place);
  }
  const std::string index = has_several ? fmt::format("[{}]", at / each) : "";
  return named(block.name + index + place.text, place);
}

}  // namespace jostle::report
