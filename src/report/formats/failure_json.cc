// SPDX-License-Identifier: Apache-2.0
#include "src/report/formats/failure_json.h"

#include <fmt/format.h>

#include "src/report/formats/date.h"
#include "src/report/formats/diagnostic_json.h"
#include "src/report/words/record_view.h"
#include "src/report/words/text.h"

namespace jostle::report {
namespace {

Json index(uint32_t value) { return value == kNoIndex ? Json() : Json(value); }

Json place_json(const Place& place) {
  Json json = Json::object();
  if (!place.file.empty()) json["file"] = escape(place.file);
  if (place.line != 0) json["line"] = place.line;
  if (!place.function.empty()) json["function"] = place.function;
  if (!place.text.empty()) json["text"] = place.text;
  json["where"] = place.where;
  if (place.library) json["library"] = true;
  return json;
}

Json places_json(const std::vector<Place>& places) {
  Json json = Json::array();
  for (const Place& place : places) json.push_back(place_json(place));
  return json;
}

Json history_json(const HistoryModel& history) {
  Json operations = Json::array(), nearest = Json::array();
  for (const HistoryModel::Operation& one : history.operations) {
    Json json = {{"thread", one.thread}, {"call", one.call}, {"returned", one.returned}};
    if (one.returned && !one.result.empty()) json["result"] = one.result;
    if (one.was_stopped) json["stopped"] = true;
    operations.push_back(std::move(json));
  }
  if (const HistoryModel::Test& test = history.test; test.promise != Promise::none) {
    Json json = {{"promise", name(test.promise)},
                 {"operation", test.operation},
                 {"after_steps", test.after}};
    if (!test.partner.empty()) {
      json["partner"] = test.partner;
      json["turns"] = {test.turn, test.partner_turn};
    }
    if (test.bound != 0) json["bound"] = test.bound;
    return {{"operations", operations}, {"progress", json}};
  }
  for (const uint32_t i : history.nearest) {
    const HistoryModel::Operation& one = history.operations[i];
    Json json = {{"operation", i}, {"returned", one.returns_there}};
    if (one.returns_there && !one.result_there.empty()) json["result"] = one.result_there;
    nearest.push_back(std::move(json));
  }
  return {{"operations", operations}, {"nearest", nearest}, {"orders_tried", history.orders}};
}

Json result_json(const ResultModel& result) {
  Json differences = Json::array();
  for (const ResultModel::Row& row : result.rows) {
    differences.push_back({{"what", row.what}, {"here", row.here}, {"nearest", row.there}});
  }
  return {{"differences", differences}, {"runs_tried", result.runs}};
}

Json event_json(const EventModel& event) {
  Json json = {{"step", event.step}, {"thread", event.thread}, {"op", op_name(event.kind)}};
  if (event.object != kNoIndex) json["object"] = event.object;
  if (event.place != kNoIndex) json["place"] = event.place;
  if (event.size != 0) json["size"] = event.size;
  if (!event.value.empty()) json["value"] = event.value;
  if (event.reads_from != kNoIndex) json["reads_from"] = event.reads_from;
  if (event.preempted) json["preempted"] = true;
  if (event.spurious) json["spurious"] = true;
  if (event.stale) json["stale"] = true;
  if (event.in_vain) json["in_vain"] = true;
  if (!event.executed) json["executed"] = false;
  if (event.left_out_before != 0) json["left_out_before"] = event.left_out_before;
  return json;
}

Json thread_json(const ThreadModel& thread) {
  Json json = {{"label", thread.label}, {"title", thread.title}, {"path", thread.path}};
  if (!thread.live && thread.holds.empty()) return json;
  json["live"] = thread.live;
  json["blocked"] = thread.blocked;
  if (thread.in_cycle) json["in_cycle"] = true;
  json["doing"] = thread.doing;
  if (thread.joins) json["joins"] = true;
  json["wants"] = index(thread.wanted);
  json["waits_for"] = index(thread.waits_for_thread);
  json["at"] = place_json(thread.at);
  json["holds"] = Json::array();
  for (const HeldLockModel& lock : thread.holds) {
    json["holds"].push_back(
        {{"object", lock.object}, {"kind", lock.noun}, {"at", place_json(lock.place)}});
  }
  json["stack"] = places_json(thread.stack);
  return json;
}

Json block_json(const BlockModel& block) {
  Json json = {{"address", block.place}};
  json["allocated_by"] = index(block.allocated_by);
  json["allocated_at"] = places_json(block.allocated_at);
  if (block.freed_by != kNoIndex || !block.freed_at.empty()) {
    json["freed_by"] = index(block.freed_by);
    json["freed_at"] = places_json(block.freed_at);
  }
  return json;
}

Json leaks_json(const std::vector<LeakModel>& leaks) {
  Json json = Json::array();
  for (const LeakModel& leak : leaks) {
    json.push_back({{"bytes", leak.bytes},
                    {"blocks", leak.blocks},
                    {"allocated_by", index(leak.allocated_by)},
                    {"allocated_at", places_json(leak.allocated_at)}});
  }
  return json;
}

Json failure_members(const TraceModel& model) {
  Json json = {{"format", "jostle-failure"},
               {"version", 1},
               {"kind", model.kind},
               {"verdict", model.verdict},
               {"summary", model.summary},
               {"message", model.message},
               {"headline", headline(model)},
               {"explanation", model.explanation},
               {"signature", signature_text(model.signature)},
               {"program", model.program},
               {"args", model.arguments},
               {"strategy", model.strategy},
               {"schedule", model.schedule_number},
               {"replay", model.replay_command},
               {"preemptions", model.preemptions},
               {"switches", model.switches},
               {"steps", model.steps},
               {"thread", index(model.failing_thread)}};
  if (!model.test.empty()) json["test"] = model.test;
  if (!model.values.empty()) json["values"] = model.values;
  if (!model.early.empty()) json["early"] = model.early;
  if (!model.history.empty()) json["history"] = history_json(model.history);
  if (!model.result.empty()) json["result"] = result_json(model.result);
  if (model.seed) json["seed"] = *model.seed;
  if (model.found) json["found"] = date_text(*model.found);
  if (model.replayed) json["replayed"] = date_text(*model.replayed);
  if (model.minimised_from) json["minimised_from"] = *model.minimised_from;
  if (model.stale_reads != 0) {
    json["weak_memory"] = {{"stale_reads", model.stale_reads}};
    if (model.sequential_schedules != 0) {
      json["weak_memory"]["sequential_schedules"] = model.sequential_schedules;
    }
    Json& orders = json["weak_memory"]["modification_orders"] = Json::array();
    for (const StoreOrder& order : model.modification_orders) {
      orders.push_back({{"object", order.object}, {"stores", order.stores}});
    }
  }
  if (!model.output_tail.empty()) json["output_tail"] = model.output_tail;
  if (model.failing_place) json["place"] = place_json(*model.failing_place);
  json["stack"] = places_json(model.failing_stack);
  if (model.block) json["block"] = block_json(*model.block);
  if (!model.leaks.empty()) json["leaks"] = leaks_json(model.leaks);
  for (const RaceSideModel& side : model.race) {
    json["race"].push_back({{"thread", index(side.thread)},
                            {"access", side.access},
                            {"stack", places_json(side.stack)}});
  }
  json["diagnostics"] = diagnostics_json(failure_diagnostics(model));
  json["left_out"] = {{"unshared", model.left_out.unshared},
                      {"for_length", model.left_out.for_length},
                      {"stretches", model.left_out.stretches},
                      {"not_recorded", model.left_out.not_recorded}};
  return json;
}

}  // namespace

std::string_view name(StretchEnd end) {
  switch (end) {
    case StretchEnd::preempted:
      return "preempted";
    case StretchEnd::blocked:
      return "blocked";
    case StretchEnd::ended:
      return "ended";
    case StretchEnd::failed:
      return "failed";
  }
  return "?";
}

std::string signature_text(uint64_t signature) { return fmt::format("{:016x}", signature); }

Json failure_json(const TraceModel& model) {
  Json json = failure_members(model);
  Json& threads = json["threads"] = Json::array();
  for (const ThreadModel& thread : model.threads) threads.push_back(thread_json(thread));
  Json& objects = json["objects"] = Json::array();
  for (const ObjectModel& object : model.objects) {
    objects.push_back({{"name", object.name},
                       {"memory", object.is_memory},
                       {"accesses", object.accesses},
                       {"threads", object.threads}});
  }
  json["places"] = places_json(model.places);
  Json& events = json["events"] = Json::array();
  for (const EventModel& event : model.events) events.push_back(event_json(event));
  if (!model.explained.empty()) json["explained"] = model.explained;
  Json& stretches = json["stretches"] = Json::array();
  for (const Stretch& stretch : model.stretches) {
    stretches.push_back({{"thread", stretch.thread},
                         {"first", stretch.first},
                         {"last", stretch.last},
                         {"end", name(stretch.end)}});
  }
  Json& holds = json["holds"] = Json::array();
  for (const Hold& hold : model.holds) {
    holds.push_back({{"thread", hold.thread},
                     {"object", hold.object},
                     {"first", hold.first},
                     {"last", hold.last},
                     {"shared", hold.shared},
                     {"released", hold.released}});
  }
  Json& waits = json["waits"] = Json::array();
  for (const Wait& wait : model.waits) {
    waits.push_back({{"thread", wait.thread},
                     {"object", index(wait.object)},
                     {"op", op_name(wait.kind)},
                     {"first", wait.first},
                     {"last", wait.last},
                     {"ended", wait.ended}});
  }
  if (!model.callbacks.empty()) {
    Json& callbacks = json["callbacks"] = Json::array();
    for (const Callback& callback : model.callbacks) {
      Json one = {{"thread", callback.thread},
                  {"name", callback.name},
                  {"clock_ns", callback.clock},
                  {"begin", callback.begin},
                  {"end", callback.end == UINT64_MAX ? Json() : Json(callback.end)}};
      if (callback.line != 0) {
        one["file"] = escape(callback.file);
        one["line"] = callback.line;
      }
      if (!callback.trigger.empty()) one["trigger"] = callback.trigger;
      callbacks.push_back(std::move(one));
    }
  }
  return json;
}

std::string json_text(const Json& json) {
  const auto dump = [](const Json& value) {
    return value.dump(-1, ' ', false, Json::error_handler_t::replace);
  };
  if (!json.is_object() || json.empty()) return dump(json) + "\n";
  std::string text = "{";
  for (const auto& [key, value] : json.items()) {
    text += fmt::format("{}\n  {}: ", text.size() > 1 ? "," : "", dump(key));
    if (!value.is_array() || value.empty() || !value[0].is_structured()) {
      text += dump(value);
      continue;
    }
    text += "[";
    for (size_t i = 0; i < value.size(); ++i) {
      text += fmt::format("{}\n    {}", i ? "," : "", dump(value[i]));
    }
    text += "\n  ]";
  }
  return text + "\n}\n";
}

}  // namespace jostle::report
