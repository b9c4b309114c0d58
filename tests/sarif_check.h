// SPDX-License-Identifier: Apache-2.0
// Is a document SARIF 2.1.0? The part of the official schema that our documents use, by hand: which
// members an object may and must have, and the rules that the specification adds in words.
#pragma once

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace jostle::test {

class SarifCheck {
 public:
  using Json = nlohmann::ordered_json;

  // One line per problem; empty: it is valid.
  static std::vector<std::string> problems_of(const Json& document) {
    SarifCheck check;
    check.log(document);
    return check.problems_;
  }

 private:
  void problem(const std::string& text) { problems_.push_back(text); }

  bool object(const Json& json, const std::string& what, const std::set<std::string>& required,
              const std::set<std::string>& optional) {
    if (!json.is_object()) {
      problem(what + " is no object");
      return false;
    }
    for (const std::string& key : required) {
      if (!json.contains(key)) problem(what + " lacks " + key);
    }
    for (const auto& [key, value] : json.items()) {
      if (!required.contains(key) && !optional.contains(key)) problem(what + " has " + key);
    }
    return std::all_of(required.begin(), required.end(),
                       [&](const std::string& key) { return json.contains(key); });
  }

  template <typename Visit>
  void each(const Json& parent, const char* key, bool may_be_empty, Visit&& visit) {
    if (!parent.contains(key)) return;
    if (!parent[key].is_array()) return problem(std::string(key) + " is no array");
    if (parent[key].empty() && !may_be_empty) problem(std::string(key) + " is empty");
    for (const Json& item : parent[key]) visit(item);
  }

  void one_of(const Json& parent, const char* key, const std::set<std::string>& values) {
    if (!parent.contains(key)) return;
    if (!parent[key].is_string() || !values.contains(parent[key].get<std::string>())) {
      problem(std::string(key) + " is " + parent[key].dump());
    }
  }

  void message(const Json& parent) {
    if (!parent.contains("message")) return;
    object(parent["message"], "message", {"text"}, {});
    if (!parent["message"]["text"].is_string()) problem("message.text is no text");
  }

  void uri(const Json& json, bool must_be_absolute) {
    if (!json.is_string()) return problem("uri is no text");
    const auto text = json.get<std::string>();
    constexpr std::string_view kAllowed = "-._~:/?#[]@!$&'()*+,;=%";
    for (const char c : text) {
      const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0;
      if (!plain && kAllowed.find(c) == kAllowed.npos) return problem("uri " + text);
    }
    if (must_be_absolute && !text.starts_with("file:///")) problem("uri " + text);
    if (text.find("..") == 0) problem("uri leaves its base: " + text);
  }

  void log(const Json& json) {
    if (!object(json, "log", {"version", "runs"}, {"$schema"})) return;
    if (json["version"] != "2.1.0") problem("version");
    each(json, "runs", true, [&](const Json& item) { run(item); });
  }

  void run(const Json& json) {
    if (!object(json, "run", {"tool"},
                {"invocations", "originalUriBaseIds", "columnKind", "results"}))
      return;
    one_of(json, "columnKind", {"utf16CodeUnits", "unicodeCodePoints"});
    if (json.contains("originalUriBaseIds")) {
      for (const auto& [name, location] : json["originalUriBaseIds"].items()) {
        bases_.insert(name);
        if (!object(location, "base", {"uri"}, {})) continue;
        uri(location["uri"], true);
        if (!location["uri"].get<std::string>().ends_with('/')) problem("a base ends in /");
      }
    }
    driver(json["tool"]);
    each(json, "invocations", true, [&](const Json& item) { invocation(item); });
    each(json, "results", true, [&](const Json& item) { result(item); });
  }

  void driver(const Json& tool) {
    if (!object(tool, "tool", {"driver"}, {})) return;
    if (!object(tool["driver"], "driver", {"name"}, {"semanticVersion", "rules"})) return;
    std::set<std::string> ids;
    each(tool["driver"], "rules", true, [&](const Json& rule) {
      if (!object(rule, "rule", {"id"},
                  {"name", "shortDescription", "defaultConfiguration", "properties"}))
        return;
      rules_.push_back(rule["id"]);
      if (!ids.insert(rule["id"]).second) problem("two rules with one id");
    });
  }

  void invocation(const Json& json) {
    object(json, "invocation", {"executionSuccessful"}, {"exitCode", "toolExecutionNotifications"});
    each(json, "toolExecutionNotifications", true, [&](const Json& item) {
      object(item, "notification", {"message"}, {"level"});
      one_of(item, "level", {"none", "note", "warning", "error"});
      message(item);
    });
  }

  void result(const Json& json) {
    if (!object(json, "result", {"message", "ruleId", "ruleIndex", "locations"},
                {"level", "partialFingerprints", "codeFlows", "stacks", "fixes", "properties"}))
      return;
    // Ours: a failure comes with what led to it.
    if (json.value("level", "") == "error" && !json.contains("codeFlows")) problem("no codeFlows");
    message(json);
    one_of(json, "level", {"none", "note", "warning", "error"});
    const size_t rule = json["ruleIndex"].get<size_t>();
    if (rule >= rules_.size() || rules_[rule] != json["ruleId"]) problem("ruleIndex");
    if (json.contains("partialFingerprints")) {
      for (const auto& [name, value] : json["partialFingerprints"].items()) {
        if (!value.is_string()) problem("a fingerprint is no text");
      }
    }
    each(json, "fixes", false, [&](const Json& item) { fix(item); });
    each(json, "locations", true, [&](const Json& item) { location(item); });
    each(json, "codeFlows", true, [&](const Json& item) { code_flow(item); });
    each(json, "stacks", true, [&](const Json& stack) {
      object(stack, "stack", {"frames"}, {"message"});
      each(stack, "frames", true, [&](const Json& frame) {
        if (object(frame, "frame", {}, {"location"}) && frame.contains("location")) {
          location(frame["location"]);
        }
      });
    });
  }

  void fix(const Json& json) {
    object(json, "fix", {"artifactChanges"}, {"description"});
    if (json.contains("description")) object(json["description"], "description", {"text"}, {});
    each(json, "artifactChanges", false, [&](const Json& change) {
      if (!object(change, "artifactChange", {"artifactLocation", "replacements"}, {})) return;
      artifact(change["artifactLocation"]);
      each(change, "replacements", false, [&](const Json& replacement) {
        if (!object(replacement, "replacement", {"deletedRegion"}, {"insertedContent"})) return;
        const Json& region = replacement["deletedRegion"];
        if (!object(region, "region", {"startLine", "startColumn", "endLine", "endColumn"}, {})) {
          return;
        }
        const auto at = [&](const char* key) { return region[key].get<int64_t>(); };
        if (at("startLine") < 1 || at("startColumn") < 1) problem("lines and columns count from 1");
        if (std::pair(at("endLine"), at("endColumn")) <
            std::pair(at("startLine"), at("startColumn"))) {
          problem("a region ends before it begins");
        }
      });
    });
  }

  void code_flow(const Json& json) {
    object(json, "codeFlow", {"threadFlows"}, {"message"});
    message(json);
    std::set<int64_t> orders;
    each(json, "threadFlows", false, [&](const Json& flow) {
      object(flow, "threadFlow", {"locations"}, {"id", "message"});
      message(flow);
      int64_t before = -1;
      each(flow, "locations", false, [&](const Json& step) {
        object(step, "threadFlowLocation", {"location"}, {"executionOrder", "importance"});
        one_of(step, "importance", {"important", "essential", "unimportant"});
        location(step["location"]);
        if (!step.contains("executionOrder")) return;
        const auto order = step["executionOrder"].get<int64_t>();
        if (order <= before) problem("the order within a thread goes back");
        if (!orders.insert(order).second) problem("two steps at once");
        before = order;
      });
    });
  }

  void artifact(const Json& json) {
    if (!object(json, "artifactLocation", {"uri"}, {"uriBaseId"})) return;
    const bool has_base = json.contains("uriBaseId");
    if (has_base && !bases_.contains(json["uriBaseId"])) problem("unknown uriBaseId");
    uri(json["uri"], !has_base);
  }

  void location(const Json& json) {
    if (!object(json, "location", {}, {"physicalLocation", "logicalLocations", "message"})) return;
    message(json);
    each(json, "logicalLocations", true, [&](const Json& item) {
      object(item, "logicalLocation", {"fullyQualifiedName"}, {"kind"});
    });
    if (!json.contains("physicalLocation")) return;
    const Json& physical = json["physicalLocation"];
    if (!object(physical, "physicalLocation", {"artifactLocation", "region"}, {})) return;
    artifact(physical["artifactLocation"]);
    if (!object(physical["region"], "region", {"startLine"}, {"snippet"})) return;
    if (physical["region"]["startLine"].get<int64_t>() < 1) problem("lines count from 1");
  }

  std::vector<std::string> problems_;
  std::vector<std::string> rules_;
  std::set<std::string> bases_;
};

}  // namespace jostle::test
