// SPDX-License-Identifier: Apache-2.0
#include "src/report/formats/diagnostic_json.h"

#include "src/report/words/text.h"

namespace jostle::report {
namespace {

constexpr Diagnostic::Level kLevels[] = {Diagnostic::Level::error, Diagnostic::Level::warning,
                                         Diagnostic::Level::note};

std::string string_of(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? escape(found->get<std::string>()) : "";
}

}  // namespace

Json diagnostics_json(const Diagnostics& diagnostics) {
  Json list = Json::array();
  for (const Diagnostic& each : diagnostics) {
    Json json = {{"level", name(each.level)}};
    if (each.at.known()) {
      json["file"] = escape(each.at.file);
      json["line"] = each.at.line;
    }
    json["text"] = each.text;
    list.push_back(std::move(json));
  }
  return list;
}

Diagnostics read_diagnostics(const Json& json) {
  Diagnostics diagnostics;
  if (!json.is_array()) return diagnostics;
  for (const Json& each : json) {
    if (!each.is_object()) continue;
    const std::string level = string_of(each, "level");
    Diagnostic diagnostic;
    bool known = false;
    for (const Diagnostic::Level candidate : kLevels) {
      if (name(candidate) != level) continue;
      diagnostic.level = candidate;
      known = true;
    }
    diagnostic.text = string_of(each, "text");
    if (!known || diagnostic.text.empty()) continue;
    const auto line = each.find("line");
    if (line != each.end() && line->is_number_integer()) {
      const auto number = line->get<int64_t>();
      if (number > 0 && number <= INT32_MAX) {
        diagnostic.at = {string_of(each, "file"), static_cast<int>(number)};
      }
    }
    diagnostics.push_back(std::move(diagnostic));
  }
  return diagnostics;
}

}  // namespace jostle::report
