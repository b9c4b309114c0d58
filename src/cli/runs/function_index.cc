// SPDX-License-Identifier: Apache-2.0
#include "src/cli/runs/function_index.h"

#include "src/report/symbols/function_names.h"

namespace jostle::cli {

FunctionIndex::FunctionIndex(const std::vector<ModuleCode>& modules) {
  const auto for_each = [&](const auto& visit) {
    for (const ModuleCode& module : modules) {
      for (const report::Function& function : module.functions) {
        for (const report::CodePiece& code : function.code) visit(module, function, code);
      }
    }
  };
  for_each([this](const ModuleCode& module, const report::Function& function,
                  const report::CodePiece& code) {
    if (code.depth != 0) return;
    bodies_[module.location(code.begin)] = {module.location(code.end), &function, {}};
  });
  for_each([this](const ModuleCode& module, const report::Function& function,
                  const report::CodePiece& code) {
    if (code.depth == 0) return;
    const channel::CodeLocation begin = module.location(code.begin);
    if (Body* body = body_at(begin)) {
      body->copies.push_back({begin, module.location(code.end), code.depth, &function});
    }
  });
}

FunctionIndex::Body* FunctionIndex::body_at(channel::CodeLocation location) {
  const auto after = bodies_.upper_bound(location);
  if (after == bodies_.begin()) return nullptr;
  Body& body = std::prev(after)->second;
  return location < body.end ? &body : nullptr;
}

const report::Function* FunctionIndex::find(channel::CodeLocation location) const {
  const Body* body = const_cast<FunctionIndex*>(this)->body_at(location);
  if (body == nullptr) return nullptr;
  const report::Function* found = body->function;
  uint32_t depth = 0;
  for (const Copy& copy : body->copies) {
    if (location < copy.begin || location >= copy.end || copy.depth < depth) continue;
    if (report::is_library_name(copy.function->name)) continue;
    found = copy.function;
    depth = copy.depth;
  }
  return found;
}

}  // namespace jostle::cli
