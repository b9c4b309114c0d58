// SPDX-License-Identifier: Apache-2.0
#include "src/report/symbols/functions.h"

#include <dwarf.h>
#include <elfutils/libdw.h>

#include <algorithm>
#include <deque>
#include <map>
#include <unordered_map>

#include "src/report/symbols/function_names.h"
#include "src/report/symbols/module_symbols.h"

namespace jostle::report {
namespace {

// What the linker threw away keeps its debug information, at an address next to zero.
constexpr uint64_t kLowestAddress = 16;

std::string own_name(Dwarf_Die& die) {
  Dwarf_Attribute attribute;
  const char* name = dwarf_formstring(dwarf_attr(&die, DW_AT_name, &attribute));
  return name == nullptr ? "" : name;
}

// Types of plain values, parameters and the like have children, but no code.
bool has_functions(int tag) {
  switch (tag) {
    case DW_TAG_lexical_block:
    case DW_TAG_try_block:
    case DW_TAG_catch_block:
    case DW_TAG_module:
    case DW_TAG_imported_unit:
      return true;
    default:
      return false;
  }
}

// Where the function of a copy, or of a definition outside of its class, was written.
Dwarf_Die declaration(Dwarf_Die die) {
  // Origin, then specification; more only in files that are broken.
  constexpr int kLongestChain = 4;
  for (int i = 0; i < kLongestChain; ++i) {
    Dwarf_Attribute attribute;
    Dwarf_Die next;
    bool found = false;
    for (const unsigned kind : {DW_AT_abstract_origin, DW_AT_specification}) {
      found = found || dwarf_formref_die(dwarf_attr(&die, kind, &attribute), &next) != nullptr;
    }
    if (!found) break;
    die = next;
  }
  return die;
}

// Reads the units one after the other. Names are found at the end, because a copy may come before
// the function it is one of.
class Reader {
 public:
  explicit Reader(ModuleSymbols& symbols) : symbols_(symbols) {}

  void read_units();
  void read_symbols();
  std::vector<Function> take();

 private:
  struct Body {
    Dwarf_Die die;
    uint32_t depth;
    std::vector<CodePiece> code;
  };

  // What entries lie in: most are never asked for their names.
  struct Scope {
    const Scope* around;  // null: the unit
    Dwarf_Die die;
  };

  void read_children(Dwarf_Die& parent, const Scope* scope, uint32_t depth);
  void read_function(Dwarf_Die& die, const Scope* scope, uint32_t depth);
  const Scope* scope_of(Dwarf_Die& die, const Scope* around) {
    return &all_scopes_.emplace_back(Scope{around, die});
  }
  static std::string text_of(const Scope* scope);
  std::string name_of(const Body& body);
  void add(const std::string& name, const std::vector<CodePiece>& code);

  ModuleSymbols& symbols_;
  std::vector<Body> bodies_;
  std::deque<Scope> all_scopes_;
  std::unordered_map<const void*, const Scope*> scopes_;  // of functions, by where they are written
  std::unordered_map<const void*, std::string> names_;    // the same
  std::map<uint64_t, uint64_t> known_;                    // code of `bodies_`: begin → end
  std::unordered_map<std::string, std::vector<CodePiece>> functions_;
};

void Reader::read_units() {
  symbols_.for_each_unit([this](Dwarf_Die& unit) { read_children(unit, nullptr, 0); });
  // The function itself may have a symbol with its full name, which its copies then share.
  std::stable_sort(bodies_.begin(), bodies_.end(),
                   [](const Body& a, const Body& b) { return a.depth < b.depth; });
  for (const Body& body : bodies_) add(name_of(body), body.code);
}

// What the names inside of it begin with.
std::string Reader::text_of(const Scope* scope) {
  if (scope == nullptr) return {};
  const std::string around = text_of(scope->around);
  Dwarf_Die die = scope->die;
  const std::string name = own_name(die);
  switch (dwarf_tag(&die)) {
    case DW_TAG_namespace:
      return around + (name.empty() ? "(anonymous namespace)" : name) + "::";
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_union_type: {
      const bool is_lambda = name.empty() || name.starts_with("<lambda");
      return around + (is_lambda ? "{lambda()}" : name) + "::";
    }
    default:
      return name.empty() ? around : around + name + "::";
  }
}

void Reader::read_children(Dwarf_Die& parent, const Scope* scope, uint32_t depth) {
  Dwarf_Die die;
  if (dwarf_child(&parent, &die) != 0) return;
  do {
    const int tag = dwarf_tag(&die);
    switch (tag) {
      case DW_TAG_subprogram:
        read_function(die, scope, 0);
        if (dwarf_haschildren(&die)) read_children(die, scope_of(die, scope), 0);
        break;
      case DW_TAG_inlined_subroutine:
        read_function(die, scope, depth + 1);
        if (dwarf_haschildren(&die)) read_children(die, scope, depth + 1);
        break;
      case DW_TAG_namespace:
      case DW_TAG_class_type:
      case DW_TAG_structure_type:
      case DW_TAG_union_type:
        if (dwarf_haschildren(&die)) read_children(die, scope_of(die, scope), depth);
        break;
      default:
        if (has_functions(tag) && dwarf_haschildren(&die)) read_children(die, scope, depth);
        break;
    }
  } while (dwarf_siblingof(&die, &die) == 0);
}

void Reader::read_function(Dwarf_Die& die, const Scope* scope, uint32_t depth) {
  if (dwarf_hasattr(&die, DW_AT_name)) scopes_[die.addr] = scope;
  Body body{die, depth, {}};
  Dwarf_Addr base, begin, end;
  for (ptrdiff_t at = 0; (at = dwarf_ranges(&die, at, &base, &begin, &end)) > 0;) {
    if (begin < kLowestAddress || begin >= end) continue;
    body.code.push_back({symbols_.file_address(begin), symbols_.file_address(end), depth});
  }
  if (body.code.empty()) return;
  if (depth == 0) {
    for (const CodePiece& piece : body.code) known_[piece.begin] = piece.end;
  }
  bodies_.push_back(std::move(body));
}

std::string Reader::name_of(const Body& body) {
  Dwarf_Die die = body.die;
  Dwarf_Die written = declaration(die);
  std::string& name = names_[written.addr];
  if (!name.empty()) return name;
  if (const char* linkage = linkage_name(die)) return name = qualified_name(demangle(linkage));
  const std::string plain = own_name(written);
  if (plain.empty()) return {};
  const auto scope = scopes_.find(written.addr);
  const std::string around = scope == scopes_.end() ? "" : text_of(scope->second);
  if (body.depth == 0 && !around.empty()) {
    // gcc gives functions of unnamed namespaces and lambdas no linkage name.
    const std::optional<Symbol> symbol = symbols_.symbol(body.code[0].begin);
    if (symbol && symbol->offset == 0 && symbol->name.find("::") != std::string::npos) {
      return name = qualified_name(without_clone_suffix(symbol->name));
    }
  }
  return name = qualified_name(around + plain);
}

void Reader::read_symbols() {
  symbols_.for_each_function_symbol([this](const char* symbol, uint64_t begin, uint64_t size) {
    const auto after = known_.upper_bound(begin);
    if (after != known_.begin() && begin < std::prev(after)->second) return;
    if (begin < kLowestAddress || size == 0) return;
    add(qualified_name(without_clone_suffix(demangle(symbol))), {{begin, begin + size, 0}});
  });
}

void Reader::add(const std::string& name, const std::vector<CodePiece>& code) {
  if (name.empty()) return;
  std::vector<CodePiece>& all = functions_[name];
  all.insert(all.end(), code.begin(), code.end());
}

std::vector<Function> Reader::take() {
  std::vector<Function> result;
  for (auto& [name, code] : functions_) result.push_back({name, std::move(code)});
  std::sort(result.begin(), result.end(),
            [](const Function& a, const Function& b) { return a.name < b.name; });
  return result;
}

}  // namespace

std::vector<Function> functions_of(const std::string& path) {
  const std::unique_ptr<ModuleSymbols> symbols = ModuleSymbols::open(path);
  if (symbols == nullptr) return {};
  Reader reader(*symbols);
  reader.read_units();
  reader.read_symbols();
  return reader.take();
}

}  // namespace jostle::report
