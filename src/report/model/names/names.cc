// SPDX-License-Identifier: Apache-2.0
#include "src/report/model/names/names.h"

#include <dwarf.h>
#include <fmt/format.h>

#include <algorithm>

#include "src/report/symbols/function_names.h"
#include "src/report/text/value_text.h"
#include "src/report/words/record_view.h"
#include "src/report/words/text.h"
#include "src/schedule/shared_state.h"

namespace jostle::report {
namespace {

// Memory that was asked for at a place in the program, and is of whatever type it is used as.
bool is_block(const channel::ObjectRecord& object) {
  return object.region == channel::Region::heap || object.region == channel::Region::mapping;
}

}  // namespace

// What lies there when the run is over.
NamedMemory Names::local_at_end(const channel::ObjectRecord& object, uint32_t size) {
  for (const channel::ThreadReport& report : reports(record_)) {
    if (report.thread == object.thread) return symbols_.local(report.stack, object.address, size);
  }
  return {};
}

// The record has the stack at each time the address was used by another call of a function. What
// other threads have used is what it is about; else, if it was a variable of several one after the
// other, there is no name for all of these uses.
NamedMemory Names::local(uintptr_t address, uint32_t size) {
  const NamedMemory now = local_at_end(*record_of(address), size);
  const auto is_use = [&](const channel::ObjectRecord& object) {
    return object.address == address && object.region == channel::Region::stack &&
           object.allocated_at.depth != 0;
  };
  const auto& all = objects(record_);
  // Others may come when the function is gone, and something else without a name lies there.
  const bool is_shared = std::ranges::any_of(all, [&](const channel::ObjectRecord& object) {
    return is_use(object) && object.by_others &&
           !symbols_.local(object.allocated_at, address, size).name.empty();
  });
  NamedMemory found;
  bool is_first = true;
  for (const channel::ObjectRecord& object : all) {
    if (!is_use(object) || (is_shared && !object.by_others)) continue;
    if (!is_shared && object.by_others) continue;
    NamedMemory here = symbols_.local(object.allocated_at, address, size);
    const Frame function = symbols_.frame_of(object.allocated_at, address);
    // Of a function that has returned since: nobody would look for it there. At the end of a
    // program main has.
    const bool is_mains =
        function.function == "main" && record_.end.outcome == channel::Outcome::exited;
    if (!here.name.empty() && here.name != now.name && !function.function.empty() && !is_mains) {
      here.name += " of " + title_of(function.function);
    }
    if (!is_first && here.name != found.name) return {};
    found = std::move(here);
    is_first = false;
  }
  return is_first ? now : found;
}

void Names::find_references() {
  references_known_ = true;
  std::set<std::pair<uintptr_t, uintptr_t>> seen;
  for (const channel::TraceEvent& event : trace(record_)) {
    if (event.value_known == 0 || event.size != sizeof(uintptr_t)) continue;
    if (event.value < sizeof(uintptr_t) || !seen.insert({event.value, event.object}).second)
      continue;
    NamedMemory reference = described(event.object, sizeof(uintptr_t));
    if (reference.captured.empty() || !reference.type) continue;
    references_.emplace(event.value, std::move(reference));
  }
}

// Optimised code may not tell where a variable lies, but a lambda that captured it does.
NamedMemory Names::captured(uintptr_t address, uint32_t size) {
  constexpr uint64_t kLargest = 1 << 16;  // a variable that is looked for
  const auto is_this = [&](const channel::ObjectRecord& object) {
    return object.address == address && object.region == channel::Region::stack;
  };
  // Variables of several calls, one after the other: a reference was to one of them.
  if (std::ranges::count_if(objects(record_), is_this) != 1) return {};
  if (!references_known_) find_references();
  NamedMemory found;
  auto i = references_.lower_bound(address - std::min(address, kLargest));
  for (; i != references_.end() && i->first <= address; ++i) {
    Dwarf_Die type = *i->second.type, to;
    if (!bare_type(type) || !type_of(type, to) || address - i->first >= size_of(to)) continue;
    PlaceInType place = place_in_type(to, address - i->first, size);
    const std::string name = i->second.captured + place.text;
    if (!found.name.empty() && found.name != name) return {};
    found = named(name, std::move(place));
  }
  return found;
}

// Of what the run did to each address: the first few places that did it.
const std::vector<Names::Access>& Names::accesses_to(uintptr_t address) {
  constexpr size_t kMostPlaces = 16;
  if (!accesses_known_) {
    accesses_known_ = true;
    for (const channel::TraceEvent& event : trace(record_)) {
      std::vector<Access>& list = accesses_[event.object];
      const bool known = std::ranges::find(list, event.pc, &Access::pc) != list.end();
      const uint32_t size = is_memory(event.kind) ? std::max<uint32_t>(event.size, 1) : 1;
      if (!known && list.size() < kMostPlaces) list.push_back({event.pc, size});
    }
  }
  return accesses_[address];
}

// By the types that those work on who access the block. Where these do not agree it is not known.
std::optional<BlockType> Names::accessed_type(const channel::ObjectRecord& object) {
  std::map<std::string, BlockType> names;
  for (const Access& access : accesses_to(object.address)) {
    std::map<std::string, BlockType> here =
        block_types_.accessed(access.pc, object.size, object.offset, access.size);
    if (here.empty()) continue;
    if (here.size() == 1 && names.size() == 1 && here.begin()->first != names.begin()->first) {
      return std::nullopt;
    }
    if (names.size() != 1) names = std::move(here);
  }
  if (names.empty()) return type_of_whole(object);
  return names.size() == 1 ? std::optional(names.begin()->second) : std::nullopt;
}

// Whoever gets at a member by a reference says nothing about the block, but a function of its class
// that used it elsewhere does.
std::optional<BlockType> Names::type_of_whole(const channel::ObjectRecord& object) {
  const uintptr_t begin = object.address - object.offset;
  std::optional<BlockType> found;
  for (const channel::ObjectRecord& other : objects(record_)) {
    if (!is_block(other) || other.address - other.offset != begin) continue;
    if (other.size != object.size) continue;
    for (const Access& access : accesses_to(other.address)) {
      const std::map<std::string, BlockType> here =
          block_types_.accessed(access.pc, other.size, other.offset, access.size);
      if (here.size() != 1) continue;
      if (found && found->name != here.begin()->second.name) return std::nullopt;
      found = here.begin()->second;
    }
  }
  return found;
}

// Where the run read or wrote a pointer to the beginning of a block.
const std::vector<uintptr_t>& Names::pointers_to(uintptr_t begin) {
  constexpr size_t kMostPlaces = 16;
  if (!pointers_known_) {
    pointers_known_ = true;
    for (const channel::ObjectRecord& object : objects(record_)) {
      if (is_block(object)) pointers_[object.address - object.offset];
    }
    for (const channel::TraceEvent& event : trace(record_)) {
      if (event.value_known == 0 || event.size != sizeof(uintptr_t)) continue;
      const auto block = pointers_.find(event.value);
      if (block == pointers_.end() || block->second.size() == kMostPlaces) continue;
      if (std::ranges::find(block->second, event.object) == block->second.end()) {
        block->second.push_back(event.object);
      }
    }
  }
  return pointers_[begin];
}

// Pointers of different types may have been to different objects, one after the other.
Names::Block Names::pointed_to(uintptr_t begin, uint64_t size) {
  Block found;
  std::set<std::string> names;
  for (const uintptr_t pointer : pointers_to(begin)) {
    if (pointer >= begin && pointer < begin + size) continue;  // its own
    const NamedMemory& from = memory(pointer, sizeof(uintptr_t));
    if (!from.type) continue;
    std::optional<BlockType> type = BlockTypes::pointed_to(*from.type, size);
    if (!type || type->name.empty()) continue;
    if (found.type && found.type->name != type->name) return {};
    found.type = std::move(type);
    names.insert(from.name);
  }
  if (names.size() == 1) found.pointer = *names.begin();
  return found;
}

const Names::Block& Names::block(const channel::ObjectRecord& object) {
  const uintptr_t begin = object.address - object.offset;
  const auto [entry, is_new] = blocks_.try_emplace(begin);
  // Pointers may lead around in a circle: a question on the way has no answer.
  if (!is_new) return entry->second;
  Block found{block_types_.allocated(object.allocated_at, object.size), ""};
  if (!found.type) found = pointed_to(begin, object.size);
  blocks_[begin] = std::move(found);
  return blocks_[begin];
}

// "title[3]", "text of title": the block that begins there has the characters of a string. Empty:
// not known, or several strings had it one after the other.
std::string Names::text_of_string(uintptr_t begin, const std::string& index) {
  constexpr std::string_view kPointer = ".data";
  std::set<std::string> owners;
  for (const uintptr_t pointer : pointers_to(begin)) {
    std::string name = memory(pointer, sizeof(uintptr_t)).name;
    const size_t at = name.find(kPointer);
    if (at == std::string::npos) continue;
    const size_t end = at + kPointer.size();
    if (end != name.size() && name[end] != ' ') continue;
    owners.insert(name.replace(at, kPointer.size(), index));
  }
  if (owners.size() != 1) return {};
  return index.empty() ? "text of " + *owners.begin() : *owners.begin();
}

NamedMemory Names::in_block(const channel::ObjectRecord& object, uint32_t size) {
  if (object.offset >= object.size) return {};
  if (const Block& known = block(object); known.type) {
    NamedMemory found = BlockTypes::name(*known.type, object.size, object.offset, size);
    if (known.type->name == "char" && known.type->is_array) {
      // A character has its number, as the program writes it.
      const std::string index = size == 1 ? fmt::format("[{}]", object.offset) : "";
      const std::string text = text_of_string(object.address - object.offset, index);
      if (!text.empty()) {
        found.name = text;
        found.is_elsewhere = true;
        return found;
      }
    }
    if (!found.name.empty()) return found;
  }
  if (const std::optional<BlockType> type = accessed_type(object)) {
    return BlockTypes::name(*type, object.size, object.offset, size);
  }
  return {};
}

std::string Names::object(uintptr_t address) {
  if (is_shared_state(address)) return std::string(words(SharedState{address}));
  if (!told_apart_) tell_apart_at_end();
  return plain_object(address);
}

// Locks in blocks that one line has allocated: by their addresses.
void Names::tell_apart_at_end() {
  told_apart_ = true;
  std::set<uintptr_t> waited_for;
  for (const channel::ThreadReport& thread : reports(record_)) {
    if (is_about_lock(thread.pending.kind)) waited_for.insert(thread.pending.object);
    for (const channel::HeldLock& lock : held(thread)) waited_for.insert(lock.object);
  }
  std::map<std::string, std::vector<uintptr_t>> by_name;
  for (const uintptr_t address : waited_for) {
    const channel::ObjectRecord* object = record_of(address);
    if (object != nullptr && is_block(*object)) by_name[plain_object(address)].push_back(address);
  }
  for (const auto& [name, addresses] : by_name) {
    for (size_t i = 0; addresses.size() > 1 && i < addresses.size(); ++i) {
      objects_[addresses[i]] = fmt::format("{} #{}", name, i + 1);
    }
  }
}

std::string Names::plain_object(uintptr_t address) {
  if (address == 0) return "?";
  const auto [entry, is_new] = objects_.try_emplace(address);
  if (!is_new) return entry->second;
  // The smallest access says best which member it is.
  uint32_t size = 0;
  for (const Access& access : accesses_to(address)) {
    size = size == 0 ? access.size : std::min(size, access.size);
  }
  std::string name = memory(address, size).name;
  if (name.empty()) name = unnamed(address, record_of(address));
  return objects_[address] = std::move(name);
}

std::string Names::value(uintptr_t address, uint64_t value, uint32_t size) {
  const NamedMemory& what = memory(address, size);
  if (what.is_part_of_value) return {};
  if (!what.captured.empty()) return "&" + what.captured;
  if (what.stored && what.type) {
    const std::optional<uint64_t> computed = what.stored->value(value);
    Dwarf_Die type = *what.type;
    const auto bytes = static_cast<uint32_t>(size_of(type));
    if (!computed || bytes == 0 || bytes > 8) return {};
    return value_text(type, *computed & UINT64_MAX >> (64 - 8 * bytes), bytes);
  }
  if (what.type) {
    if (std::string text = pointed_at(*what.type, value); !text.empty()) return text;
    if (std::string text = value_text(*what.type, value, size); !text.empty()) return text;
  }
  return value_text(value, size);
}

namespace {

// "lambda in main" of "std::_Function_handler<void (), main::{lambda()#1}>::_M_invoke(…)": by which
// a std::function calls what it holds. Empty: it is something else, or that has no name.
std::string held_by_function(std::string_view name) {
  constexpr std::string_view kHandler = "_Function_handler<";
  const size_t handler = name.find(kHandler);
  const size_t end = name.find(">::_M_");
  if (handler == name.npos || end == name.npos) return {};
  int depth = 0;
  size_t at = handler + kHandler.size();
  for (; at < end && (depth != 0 || name[at] != ','); ++at) {
    if (std::string_view("(<{").find(name[at]) != std::string_view::npos) ++depth;
    if (std::string_view(")>}").find(name[at]) != std::string_view::npos) --depth;
  }
  if (at + 2 >= end) return {};
  const std::string held(name.substr(at + 2, end - at - 2));
  size_t lambda = held.npos;  // the outermost: it is in what has a name
  for (const std::string_view mark : {"::{lambda(", "::$_", "::'lambda"}) {
    lambda = std::min(lambda, held.find(mark));
  }
  if (lambda != held.npos) return "lambda in " + short_function(held.substr(0, lambda));
  return held.find("(*)") == held.npos ? held : "";
}

}  // namespace

// "&counter", "on_failure": a pointer to a variable or function of the program. Empty: none.
std::string Names::pointed_at(Dwarf_Die type, uint64_t value) {
  Dwarf_Die to;
  if (value == 0 || !bare_type(type) || dwarf_tag(&type) != DW_TAG_pointer_type) return {};
  if (!type_of(type, to) || !bare_type(to)) return {};
  if (dwarf_tag(&to) == DW_TAG_subroutine_type) {
    const Frame& frame = symbols_.frames(value, PcKind::exact).back();
    const bool is_entry = symbols_.global(value).find('+') == std::string::npos;
    if (frame.line == 0 || !is_entry) return {};
    if (frame.function.find("_Function_handler<") != std::string::npos) {
      return held_by_function(frame.function);
    }
    return readable_function(frame.function);
  }
  const auto size = static_cast<uint32_t>(size_of(to));
  std::string name = symbols_.variable(value, size).name;
  if (name.empty()) name = local_at(value, size);
  // Something at an offset that has no name of its own may be anything.
  return name.empty() || name.find('+') != std::string::npos ? "" : "&" + name;
}

// The variable of a function that begins there, of which some part was used. Empty: none, or
// several one after the other.
std::string Names::local_at(uintptr_t address, uint32_t size) {
  std::string found;
  for (const channel::ObjectRecord& object : objects(record_)) {
    if (object.region != channel::Region::stack || object.allocated_at.depth == 0) continue;
    if (object.address < address || object.address - address >= size) continue;
    const std::string name = symbols_.local(object.allocated_at, address, size).name;
    if (name.empty() || (!found.empty() && name != found)) return {};
    found = name;
  }
  return found;
}

std::string Names::value(const channel::TraceEvent& event) {
  return event.value_known == 0 ? "" : value(event.object, event.value, event.size);
}

const channel::ObjectRecord* Names::record_of(uintptr_t address) {
  if (!records_known_) {
    records_known_ = true;
    for (const channel::ObjectRecord& object : objects(record_)) {
      records_.try_emplace(object.address, &object);
    }
  }
  const auto found = records_.find(address);
  return found == records_.end() ? nullptr : found->second;
}

const NamedMemory& Names::memory(uintptr_t address, uint32_t size) {
  const auto known = memory_.find({address, size});
  if (known != memory_.end()) return known->second;
  NamedMemory found = find_memory(address, size);
  return memory_.insert_or_assign({address, size}, std::move(found)).first->second;
}

NamedMemory Names::find_memory(uintptr_t address, uint32_t size) {
  NamedMemory found = described(address, size);
  if (!found.name.empty()) return found;
  const channel::ObjectRecord* object = record_of(address);
  if (object == nullptr || object->region != channel::Region::stack) return {};
  found = captured(address, size);
  return found.name.empty() ? shared_in_region(address, size) : found;
}

namespace {

// Where a block of variables begins in which all of these accesses lie. Nothing: nowhere, or it
// could be at several places.
std::optional<uintptr_t> block_around(const std::map<uintptr_t, uint32_t>& accesses,
                                      std::vector<HandedVariable>& variables) {
  const auto explains = [&](uintptr_t begin, uintptr_t address) {
    return std::ranges::any_of(variables, [&](HandedVariable& each) {
      return address >= begin + each.offset && address < begin + each.offset + size_of(each.type);
    });
  };
  std::set<uintptr_t> found;
  for (const auto& [address, size] : accesses) {
    for (HandedVariable& each : variables) {
      if (size_of(each.type) != size) continue;
      const uintptr_t begin = address - each.offset;
      if (std::ranges::all_of(accesses, [&](const auto& a) { return explains(begin, a.first); })) {
        found.insert(begin);
      }
    }
  }
  return found.size() == 1 ? std::optional(*found.begin()) : std::nullopt;
}

}  // namespace

void Names::find_regions() {
  regions_known_ = true;
  struct Region {
    std::vector<HandedVariable> variables;
    std::map<uintptr_t, uint32_t> accesses;  // the size, by the address
  };
  std::map<std::string, Region> regions;
  std::set<std::pair<uintptr_t, uintptr_t>> seen;
  for (const channel::TraceEvent& event : trace(record_)) {
    if (!is_memory(event.kind) || !seen.insert({event.pc, event.object}).second) continue;
    const channel::ObjectRecord* object = record_of(event.object);
    if (object == nullptr || object->region != channel::Region::stack) continue;
    const Frame& frame = symbols_.frames(event.pc).back();
    if (!function_of_region(frame.function)) continue;
    uint64_t in_file = 0;
    ModuleSymbols* symbols = symbols_.symbols_at(event.pc - 1, in_file);
    if (symbols == nullptr) continue;
    const auto [entry, is_new] = regions.try_emplace(frame.function);
    if (is_new) entry->second.variables = handed_variables(*symbols, in_file);
    entry->second.accesses.emplace(event.object, event.size);
  }
  for (auto& [name, region] : regions) {
    if (const auto begin = block_around(region.accesses, region.variables)) {
      regions_.emplace_back(*begin, std::move(region.variables));
    }
  }
}

// Variables that gcc has copied for a parallel region and its threads.
NamedMemory Names::shared_in_region(uintptr_t address, uint32_t size) {
  if (!regions_known_) find_regions();
  for (auto& [begin, variables] : regions_) {
    for (HandedVariable& each : variables) {
      const uintptr_t at = begin + each.offset;
      if (address < at || address >= at + size_of(each.type)) continue;
      PlaceInType place = place_in_type(each.type, address - at, size);
      const std::string name = each.name + place.text;
      return named(name, std::move(place));
    }
  }
  return {};
}

// By the debug information of who has it.
NamedMemory Names::described(uintptr_t address, uint32_t size) {
  if (NamedMemory found = symbols_.variable(address, size); !found.name.empty()) return found;
  const channel::ObjectRecord* object = record_of(address);
  if (object == nullptr) return {};
  switch (object->region) {
    case channel::Region::heap:
    case channel::Region::mapping: {
      NamedMemory found = in_block(*object, size);
      const Frame site = symbols_.line_that_matters(object->allocated_at);
      if (!found.name.empty() && site.line != 0 && !found.is_elsewhere) {
        found.name += " of " + source(site);
      }
      return found;
    }
    case channel::Region::stack:
      return local(address, size);
    case channel::Region::thread_local_storage: {
      NamedMemory found = symbols_.thread_local_variable(object->offset, size);
      if (!found.name.empty()) found.name += " of " + label(object->thread);
      return found;
    }
    case channel::Region::unknown:
      return {};
  }
  return {};
}

// Where it lies, if that is all there is to say.
std::string Names::unnamed(uintptr_t address, const channel::ObjectRecord* object) {
  const std::string offset = object == nullptr ? "" : plain_offset(object->offset);
  if (object != nullptr && is_block(*object)) {
    const char* kind = object->region == channel::Region::heap ? "heap block" : "mapping";
    const Frame site = symbols_.line_that_matters(object->allocated_at);
    if (site.where.empty()) return fmt::format("{}{}", kind, offset);
    return fmt::format("{}{} of {}", kind, offset, source(site));
  }
  if (object != nullptr && object->region == channel::Region::stack) {
    // Where the function's debug information is missing, that is the reason. A library that came to
    // use the same place later is not.
    const Frame frame = symbols_.frame_of(object->allocated_at, address);
    const std::string module = frame.where.substr(0, frame.where.rfind('+'));
    const bool is_reason =
        !frame.where.empty() && frame.line == 0 && module.find(".so") == std::string::npos;
    const std::string where = is_reason ? fmt::format(" in {}", module) : "";
    return fmt::format("stack of {}{}{}", label(object->thread), offset, where);
  }
  if (object != nullptr && object->region == channel::Region::thread_local_storage) {
    return fmt::format("thread_local of {}", label(object->thread));
  }
  if (const Module* module = symbols_.module_at(address)) {
    return fmt::format("{}+{:#x}", escape(base_name(module->path)), address - module->bias);
  }
  return fmt::format("{:#x}", address);
}

}  // namespace jostle::report
