// SPDX-License-Identifier: Apache-2.0
#include "src/report/formats/sarif.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/report/formats/failure_json.h"
#include "src/report/model/failure_kinds.h"
#include "src/report/model/trace_selection.h"
#include "src/report/text/event_text.h"
#include "src/report/words/record_view.h"
#include "src/report/words/text.h"

namespace jostle::report {
namespace {

// Services show about a thousand steps of a flow and refuse files of many megabytes.
constexpr size_t kMostFlowSteps = 1'000;
constexpr char kBase[] = "SRCROOT";

struct Rule {
  std::string_view kind, name, text;
};
constexpr Rule kRules[] = {
    {"assert", "AssertionFailed", "An assertion fails under some interleaving of the threads."},
    {"abort", "Aborted", "The program aborts under some interleaving of the threads."},
    {"exception", "UncaughtException",
     "An exception is not caught under some interleaving of the threads."},
    {"crash", "Crash", "The program dies of a signal under some interleaving of the threads."},
    {"exit", "WrongExitStatus",
     "The program exits with a status that means failure under some interleaving of the threads."},
    {"deadlock", "Deadlock", "Threads wait for each other for ever."},
    {"starvation", "Starvation",
     "A thread waits while others get what it waits for again and again."},
    {"livelock", "Livelock", "All live threads spin or wait for ever."},
    {"steps", "StepLimit", "A run does not come to an end: it exceeds the limit of steps."},
    {"timeout", "TimeLimit", "A run does not come to an end: it exceeds the limit of time."},
    {"misuse", "SynchronisationMisuse", "A synchronisation object is used in an undefined way."},
    {"heap", "HeapError",
     "Memory is used that is not the program's under some interleaving of the threads."},
    {"race", "DataRace", "Two threads access the same memory, and nothing orders them."},
};

// Kinds that come later than this table get a rule of their own name.
const Rule* find_rule(std::string_view kind) {
  const auto found = std::find_if(std::begin(kRules), std::end(kRules),
                                  [&](const Rule& r) { return r.kind == kind; });
  return found == std::end(kRules) ? nullptr : found;
}

Json message(std::string_view text) { return {{"text", text}}; }

class SarifWriter {
 public:
  explicit SarifWriter(const RunResult& result) : result_(result), base_(result.directory) {
    if (!base_.empty() && base_.back() != '/') base_ += '/';
  }

  std::string text() {
    Json results = Json::array();
    for (const TraceModel& failure : result_.failures) results.push_back(result(failure));
    for (const KnownFinding& finding : result_.known) {
      if (finding.today == KnownFinding::Today::fails) results.push_back(result(finding));
    }
    Json run = {{"tool", {{"driver", driver()}}}, {"invocations", Json::array({invocation()})}};
    if (!base_.empty()) run["originalUriBaseIds"] = {{kBase, {{"uri", path_uri(base_)}}}};
    run["columnKind"] = "utf16CodeUnits";
    run["results"] = std::move(results);
    const Json json = {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                       {"version", "2.1.0"},
                       {"runs", Json::array({std::move(run)})}};
    return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
  }

 private:
  Json driver() const {
    Json json = {{"name", "Jostle"}, {"semanticVersion", result_.version}};
    json["rules"] = rules_;
    return json;
  }

  Json invocation() const {
    Json json = {{"executionSuccessful", result_.problem.empty()}, {"exitCode", result_.exit_code}};
    Json notes = Json::array();
    if (!result_.problem.empty()) {
      notes.push_back({{"level", "error"}, {"message", message(result_.problem)}});
    }
    for (const Unconfirmed& failure : result_.unconfirmed) {
      notes.push_back({{"level", "warning"},
                       {"message", message(fmt::format("not confirmed: {}: {}", failure.summary,
                                                       failure.why))}});
    }
    for (const KnownFinding& finding : result_.known) {
      if (finding.today != KnownFinding::Today::not_followed) continue;
      notes.push_back({{"level", "warning"}, {"message", message(finding.text)}});
    }
    if (!notes.empty()) json["toolExecutionNotifications"] = std::move(notes);
    return json;
  }

  size_t rule_index(const std::string& kind) {
    const std::string id = "jostle/" + kind;
    for (size_t i = 0; i < rules_.size(); ++i) {
      if (rules_[i]["id"] == id) return i;
    }
    const Rule* known = find_rule(kind);
    Json rule = {{"id", id}};
    if (known != nullptr) rule["name"] = known->name;
    rule["shortDescription"] =
        message(known != nullptr ? known->text : "The program fails under some interleaving.");
    rule["defaultConfiguration"] = {{"level", "error"}};
    rule["properties"] = {{"tags", {"concurrency", "correctness"}}};
    rules_.push_back(std::move(rule));
    return rules_.size() - 1;
  }

  Json result(const TraceModel& model) {
    const size_t rule = rule_index(model.kind);
    Json json = {{"ruleId", rules_[rule]["id"]},
                 {"ruleIndex", rule},
                 {"level", "error"},
                 {"message", message(result_message(model))}};
    json["locations"] = Json::array({failure_location(model)});
    json["partialFingerprints"] = {{"jostleSignature/v1", signature_text(model.signature)}};
    json["codeFlows"] = Json::array({code_flow(model)});
    if (!model.failing_stack.empty()) {
      Json frames = Json::array();
      for (const Place& place : model.failing_stack)
        frames.push_back({{"location", location(place)}});
      json["stacks"] = Json::array({{{"message", message("where it failed")}, {"frames", frames}}});
    }
    json["properties"] = {{"replay", model.replay_command},
                          {"strategy", model.strategy},
                          {"schedule", model.schedule_number},
                          {"preemptions", model.preemptions}};
    return json;
  }

  Json result(const KnownFinding& finding) {
    const size_t rule = rule_index(finding.kind);
    Place place;
    place.file = finding.at.file;
    place.line = finding.at.line;
    return {{"ruleId", rules_[rule]["id"]},
            {"ruleIndex", rule},
            {"level", "error"},
            {"message", message(finding.text)},
            {"locations", Json::array({finding.at.known() ? location(place) : Json::object()})},
            {"partialFingerprints", {{"jostleSignature/v1", signature_text(finding.identity)}}},
            {"properties", {{"replay", finding.replay}}}};
  }

  static std::string result_message(const TraceModel& model) {
    std::string text = model.summary;
    if (!model.test.empty()) text = fmt::format("test {}: {}", model.test, text);
    if (!model.explanation.empty()) text += "\n" + model.explanation;
    for (const std::string& sentence : model.early) text += "\ntime: " + sentence;
    if (!model.replay_command.empty()) text += "\nreplay: " + model.replay_command;
    return text;
  }

  Json artifact(const std::string& file) const {
    if (!base_.empty() && file.starts_with(base_)) {
      return {{"uri", path_uri(std::string_view(file).substr(base_.size()))}, {"uriBaseId", kBase}};
    }
    // A relative name is as on the command line of the compiler; most likely from here.
    if (!file.starts_with('/')) return {{"uri", path_uri(file)}, {"uriBaseId", kBase}};
    return {{"uri", path_uri(file)}};
  }

  Json location(const Place& place) const {
    Json json = Json::object();
    if (!place.file.empty() && place.line > 0) {
      Json region = {{"startLine", place.line}};
      if (!place.text.empty()) region["snippet"] = {{"text", place.text}};
      json["physicalLocation"] = {{"artifactLocation", artifact(place.file)}, {"region", region}};
    }
    const std::string& name = place.function.empty() ? place.where : place.function;
    if (!name.empty()) {
      json["logicalLocations"] =
          Json::array({{{"fullyQualifiedName", name}, {"kind", "function"}}});
    }
    return json;
  }

  // Where a reader should look first: what failed, or for a deadlock the first wait of the cycle.
  // Services show no result without a place, so any place is better than none.
  Json failure_location(const TraceModel& model) const {
    if (model.failing_place && model.failing_place->line > 0) return location(*model.failing_place);
    const ThreadModel* best = nullptr;
    for (const ThreadModel& thread : model.threads) {
      if (thread.at.line == 0) continue;
      if (best == nullptr || thread.in_cycle > best->in_cycle) best = &thread;
    }
    if (best != nullptr) return location(best->at);
    for (auto event = model.events.rbegin(); event != model.events.rend(); ++event) {
      if (event->place != kNoIndex && model.places[event->place].line > 0) {
        return location(model.places[event->place]);
      }
    }
    return model.failing_place ? location(*model.failing_place) : Json::object();
  }

  static std::vector<bool> steps_to_show(const TraceModel& model) {
    std::vector<SelectableEvent> events(model.events.size());
    for (size_t i = 0; i < events.size(); ++i) {
      events[i].milestone = model.events[i].kind == OpKind::thread_create;
      if (model.events[i].reads_from != kNoIndex) events[i].reads_from = model.events[i].reads_from;
    }
    for (const Stretch& stretch : model.stretches) {
      events[stretch.first].begins_stretch = true;
      events[stretch.last].ends_stretch = true;
    }
    return select_events(events, kMostFlowSteps);
  }

  Json code_flow(const TraceModel& model) const {
    std::vector<Json> steps(model.threads.size(), Json::array());
    const std::vector<bool> shown = steps_to_show(model);
    uint64_t order = 0;
    uint32_t last_thread = kNoIndex;
    for (size_t i = 0; i < model.events.size(); ++i) {
      const EventModel& event = model.events[i];
      if (!shown[i]) continue;
      steps[event.thread].push_back(flow_step(model, event, ++order, event.thread != last_thread));
      last_thread = event.thread;
    }
    if (model.failing_thread != kNoIndex) {
      Json place = model.failing_place ? location(*model.failing_place) : Json::object();
      place["message"] = message(model.summary);
      steps[model.failing_thread].push_back(
          {{"location", place}, {"executionOrder", ++order}, {"importance", "essential"}});
    }
    Json flows = Json::array();
    for (size_t t = 0; t < steps.size(); ++t) {
      if (steps[t].empty()) continue;
      flows.push_back({{"id", model.threads[t].label},
                       {"message", message(model.threads[t].title)},
                       {"locations", std::move(steps[t])}});
    }
    // A flow needs at least one step, whatever little is known.
    if (flows.empty()) {
      Json place = failure_location(model);
      place["message"] = message(model.summary);
      flows.push_back({{"locations", Json::array({{{"location", place}}})}});
    }
    return {{"message", message(headline(model))}, {"threadFlows", std::move(flows)}};
  }

  Json flow_step(const TraceModel& model, const EventModel& event, uint64_t order,
                 bool switched) const {
    Json place = event.place == kNoIndex ? Json::object() : location(model.places[event.place]);
    std::string text = (event.executed ? "" : "was about to ") + operation_text(model, event);
    if (event.preempted) text += " (was preempted before)";
    place["message"] = message(fmt::format("{}: {}", model.threads[event.thread].label, text));
    return {{"location", std::move(place)},
            {"executionOrder", order},
            {"importance", switched || !event.executed ? "essential" : "important"}};
  }

  const RunResult& result_;
  std::string base_;
  std::vector<Json> rules_;
};

}  // namespace

std::string path_uri(std::string_view path) {
  std::string uri = path.starts_with('/') ? "file://" : "";
  for (const char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("/-._~").find(c) != std::string_view::npos;
    uri += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return uri;
}

std::string sarif_text(const RunResult& result) { return SarifWriter(result).text(); }

}  // namespace jostle::report
