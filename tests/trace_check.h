// SPDX-License-Identifier: Apache-2.0
// What chrome://tracing and Perfetto demand of a trace of events, as far as we use the format: each
// phase has its members; slices of a track nest; flows and asynchronous events come in pairs and
// begin before they end; a flow has a slice to be bound to at both ends; tracks have names.
#pragma once

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

namespace jostle::test {

class TraceCheck {
 public:
  using Json = nlohmann::ordered_json;

  // One line per problem; empty: it is valid.
  static std::vector<std::string> problems_of(const Json& trace) {
    TraceCheck check;
    check.look_at(trace);
    return std::move(check.problems_);
  }

 private:
  struct Slice {
    double begin, end;
  };
  struct Half {
    double time;
    std::string name;
    int64_t track;
  };

  void problem(const std::string& what, const Json& event) {
    problems_.push_back(what + ": " + event.dump().substr(0, 300));
  }
  bool demand(bool holds, const std::string& what, const Json& event) {
    if (!holds) problem(what, event);
    return holds;
  }

  void look_at(const Json& trace) {
    if (!trace.is_object() || !trace.contains("traceEvents") || !trace["traceEvents"].is_array()) {
      problems_.push_back("no list of traceEvents");
      return;
    }
    const std::string unit = trace.value("displayTimeUnit", "ms");
    if (unit != "ns" && unit != "ms") problems_.push_back("displayTimeUnit is ns or ms");
    for (const Json& event : trace["traceEvents"]) look_at_event(event);
    for (auto& [track, slices] : slices_) check_nesting(track, slices);
    for (const auto& [id, half] : open_flows_) {
      problems_.push_back("flow " + id + " has no end: " + half.name);
    }
    for (const auto& [id, half] : open_async_) {
      problems_.push_back("asynchronous event " + id + " has no end: " + half.name);
    }
    for (const Half& half : bound_) {
      const std::vector<Slice>& slices = slices_[half.track];
      const bool found = std::any_of(slices.begin(), slices.end(), [&](const Slice& slice) {
        return slice.begin <= half.time && half.time <= slice.end;
      });
      if (!found) problems_.push_back("a flow is bound to no slice: " + half.name);
    }
    for (const int64_t track : used_) {
      if (!named_.contains(track)) problems_.push_back("a track has no name");
    }
  }

  void look_at_event(const Json& event) {
    for (const char* member : {"ph", "name"}) {
      if (!demand(event.contains(member) && event[member].is_string(), member, event)) return;
    }
    for (const char* member : {"pid", "tid"}) {
      if (!demand(event.contains(member) && event[member].is_number_integer(), member, event)) {
        return;
      }
    }
    if (event.contains("args")) demand(event["args"].is_object(), "args is an object", event);
    const std::string phase = event["ph"];
    const int64_t track = event["tid"];
    if (phase == "M") return look_at_metadata(event, track);
    const bool timed = event.contains("ts") && event["ts"].is_number() && event["ts"] >= 0;
    if (!demand(timed, "ts is a number", event)) return;
    demand(event.contains("cat") && event["cat"].is_string(), "cat", event);
    if (event.value("s", "") != "g") used_.insert(track);
    const double time = event["ts"];
    if (phase == "X") {
      const bool lasts = event.contains("dur") && event["dur"].is_number() && event["dur"] >= 0;
      if (!demand(lasts, "dur is a number", event)) return;
      slices_[track].push_back({time, time + event["dur"].get<double>()});
    } else if (phase == "i") {
      const std::string scope = event.value("s", "t");
      demand(scope == "t" || scope == "p" || scope == "g", "scope of an instant", event);
    } else if (phase == "s" || phase == "f") {
      bound_.push_back({time, event["name"], track});
      if (phase == "f") demand(event.value("bp", "") == "e", "a flow ends in a slice", event);
      pair(open_flows_, event, phase == "s", time);
    } else if (phase == "b" || phase == "e") {
      pair(open_async_, event, phase == "b", time);
    } else {
      problem("unknown phase", event);
    }
  }

  void look_at_metadata(const Json& event, int64_t track) {
    const std::string name = event["name"];
    static const std::set<std::string> kKnown = {"process_name", "thread_name",
                                                 "thread_sort_index"};
    if (!demand(kKnown.contains(name), "metadata", event)) return;
    const char* member = name == "thread_sort_index" ? "sort_index" : "name";
    if (!demand(event.contains("args") && event["args"].contains(member), member, event)) return;
    if (name == "thread_name") named_.insert(track);
  }

  void pair(std::map<std::string, Half>& open, const Json& event, bool begins, double time) {
    const bool has_id =
        event.contains("id") && (event["id"].is_number_integer() || event["id"].is_string());
    if (!demand(has_id, "id", event)) return;
    const std::string id = event.value("cat", "") + "/" + event["id"].dump();
    if (begins) {
      demand(open.emplace(id, Half{time, event["name"], 0}).second, "begins twice", event);
      return;
    }
    const auto begin = open.find(id);
    if (!demand(begin != open.end(), "ends without a beginning", event)) return;
    demand(begin->second.time <= time, "ends before it begins", event);
    demand(begin->second.name == event["name"], "begins with another name", event);
    open.erase(begin);
  }

  void check_nesting(int64_t track, std::vector<Slice>& slices) {
    std::sort(slices.begin(), slices.end(), [](const Slice& a, const Slice& b) {
      return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
    });
    std::vector<double> ends;
    for (const Slice& slice : slices) {
      while (!ends.empty() && ends.back() <= slice.begin) ends.pop_back();
      if (!ends.empty() && slice.end > ends.back()) {
        problems_.push_back("slices of track " + std::to_string(track) + " overlap at " +
                            std::to_string(slice.begin));
        return;
      }
      ends.push_back(slice.end);
    }
  }

  std::vector<std::string> problems_;
  std::map<int64_t, std::vector<Slice>> slices_;
  std::map<std::string, Half> open_flows_, open_async_;
  std::vector<Half> bound_;
  std::set<int64_t> named_, used_;
};

}  // namespace jostle::test
