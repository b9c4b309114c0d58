// SPDX-License-Identifier: Apache-2.0
#include "src/cli/orders/orders_result.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "src/base/memory_order.h"
#include "src/cli/options/document.h"
#include "src/cli/orders/order_fixes.h"
#include "src/report/formats/failure_json.h"
#include "src/report/formats/sarif.h"
#include "src/report/words/order_name.h"
#include "src/report/words/source_lines.h"
#include "src/report/words/text.h"

namespace jostle::cli {
namespace {

using report::Json;

std::string now_text(const OrderPlace& place) {
  return orders_text(place.operation.kind, place.operation.now);
}
std::string best_text(const OrdersResult& result, size_t i) {
  return orders_text(result.places[i].operation.kind, result.weakest[i].orders);
}

// "relaxed: data race", of the strongest that was refused.
std::string refusal_text(const OrdersResult& result, size_t i) {
  const std::vector<Refusal>& refused = result.weakest[i].refused;
  if (refused.empty()) return {};
  const OpKind kind = result.places[i].operation.kind;
  return fmt::format("{}: {}", orders_text(kind, refused.back().orders), refused.back().why);
}

// What was shown of all orders together, and no more than that.
std::string shown(const OrderTrial& trial) {
  if (trial.all) {
    return trial.executions == 1 ? "the only execution is right"
                                 : fmt::format("every one of {} is right",
                                               report::count(trial.executions, "execution"));
  }
  return fmt::format("no failure in {}", report::count(trial.schedules, "schedule"));
}

// Operations of the strongest order stay beside weaker ones: there the model allows a bit less
// than the language does.
bool mixes_sequential(const OrdersResult& result) {
  bool stays = false, weaker = false;
  for (size_t i = 0; i < result.places.size(); ++i) {
    stays = stays || is_sequential(result.weakest[i].orders.success);
    weaker = weaker || result.may_be_weaker(i);
  }
  return stays && weaker;
}

size_t count_weaker(const OrdersResult& result) {
  size_t count = 0;
  for (size_t i = 0; i < result.places.size(); ++i) count += result.may_be_weaker(i);
  return count;
}

std::vector<std::string> remarks(const OrdersResult& result) {
  std::vector<std::string> lines;
  if (count_weaker(result) == 0) {
    // What was refused has been seen to fail: nothing was assumed.
  } else if (result.trial.all) {
    lines.push_back(fmt::format("holds for: {}", fmt::join(result.trial.assumptions, ", ")));
  } else if (!result.trial.why_not_all.empty()) {
    lines.push_back(fmt::format("not all executions were run: {}", result.trial.why_not_all));
  }
  if (count_weaker(result) != 0 && result.finished) {
    lines.push_back(
        "a local minimum: none can be weaker while the others are as listed; any may stay as it "
        "is");
  }
  if (mixes_sequential(result)) {
    lines.push_back(
        "seq_cst stays beside weaker orders: there the model allows a little less than C++ "
        "(docs/weak-memory.md)");
  }
  if (!result.finished) lines.push_back("the time was over before all weaker orders were tried");
  if (result.left_out) lines.push_back("there are more operations than were looked at");
  return lines;
}

std::string headline(const OrdersResult& result) {
  if (result.places.empty()) {
    return "no atomic operation of the program's own has an order that could be weaker";
  }
  const size_t weaker = count_weaker(result);
  if (weaker == 0) {
    return fmt::format("none of {} may be weaker",
                       report::count(result.places.size(), "operation"));
  }
  return fmt::format("{} of {} may be weaker; with all of that {}", report::thousands(weaker),
                     report::count(result.places.size(), "operation"), shown(result.trial));
}

}  // namespace

std::string orders_table(const OrdersResult& result, size_t columns) {
  size_t place_width = 5, operation_width = 9, now_width = 3, best_width = 6;
  for (size_t i = 0; i < result.places.size(); ++i) {
    const OrderPlace& place = result.places[i];
    place_width = std::max(place_width, report::width(place.source));
    operation_width = std::max(operation_width, operation_name(place.operation).size());
    now_width = std::max(now_width, now_text(place).size());
    best_width = std::max(best_width, best_text(result, i).size());
  }
  // Reasons are long: they go on below where they began.
  const size_t before_reason = place_width + operation_width + now_width + best_width + 8;
  const std::string indent(before_reason + 20 < columns ? before_reason : 4, ' ');
  const auto row = [&](std::string_view place, std::string_view operation, std::string_view now,
                       std::string_view best, std::string_view refused) {
    std::string line = fmt::format("{}  {}  {}  {}  ", report::pad(place, place_width),
                                   report::pad(operation, operation_width),
                                   report::pad(now, now_width), report::pad(best, best_width));
    if (refused.empty()) {
      line.erase(line.find_last_not_of(' ') + 1);
      return line + "\n";
    }
    if (line.size() != indent.size()) line += "\n" + indent;
    const size_t room = columns > indent.size() + 10 ? columns - indent.size() : 10;
    std::string reason = report::wrap_words(refused, room, "");
    for (size_t at = 0; (at = reason.find('\n', at)) != reason.npos; at += indent.size()) {
      reason.insert(++at, indent);
    }
    return line + reason + "\n";
  };
  std::string text;
  if (!result.places.empty()) text += row("place", "operation", "now", "may be", "refused");
  for (size_t i = 0; i < result.places.size(); ++i) {
    const OrderPlace& place = result.places[i];
    text += row(place.source, operation_name(place.operation), now_text(place),
                result.may_be_weaker(i) ? best_text(result, i) : "-", refusal_text(result, i));
  }
  if (!result.places.empty()) text += "\n";
  text += headline(result) + "\n";
  for (const std::string& line : remarks(result)) {
    text += "  " + report::wrap(line, columns - 2, "    ") + "\n";
  }
  return text;
}

std::string orders_json(const OrdersResult& result) {
  const auto order = [](const OrderPlace& place, Orders orders) {
    Json json = {{"order", report::order_name(orders.success)}};
    if (orders.failure != channel::kNoOrder) json["failure"] = report::order_name(orders.failure);
    if (place.operation.kind == OpKind::fence && orders.success == __ATOMIC_RELAXED) {
      json["needed"] = false;
    }
    return json;
  };
  Json list = Json::array();
  for (size_t i = 0; i < result.places.size(); ++i) {
    const OrderPlace& place = result.places[i];
    Json refused = Json::array();
    for (const Refusal& refusal : result.weakest[i].refused) {
      Json entry = order(place, refusal.orders);
      entry["why"] = refusal.why;
      refused.push_back(std::move(entry));
    }
    list.push_back({{"file", report::escape(place.file)},
                    {"line", place.line},
                    {"operation", operation_name(place.operation)},
                    {"now", order(place, place.operation.now)},
                    {"may_be", order(place, result.weakest[i].orders)},
                    {"weaker", result.may_be_weaker(i)},
                    {"refused", std::move(refused)}});
  }
  const Json json = {{"format", "jostle-orders"},
                     {"version", 1},
                     {"program", report::escape(result.program)},
                     {"operations", std::move(list)},
                     {"shown", result.trial.all ? "all executions" : "search"},
                     {"executions", result.trial.all ? Json(result.trial.executions) : Json()},
                     {"schedules", result.trial.schedules},
                     {"finished", result.finished},
                     {"trials", result.trials},
                     {"seconds", std::chrono::duration<double>(result.elapsed).count()},
                     {"remarks", remarks(result)}};
  return report::json_text(json);
}

namespace {

Json artifact(const std::string& file, const std::string& base) {
  if (file.starts_with(base)) {
    return {{"uri", report::path_uri(std::string_view(file).substr(base.size()))},
            {"uriBaseId", "SRCROOT"}};
  }
  if (!file.starts_with('/')) return {{"uri", report::path_uri(file)}, {"uriBaseId", "SRCROOT"}};
  return {{"uri", report::path_uri(file)}};
}

// SARIF counts columns in units of UTF-16.
int utf16_column(const std::string& line, int column) {
  int units = 1;
  for (int i = 0; i + 1 < column; ++i) {
    const auto byte = static_cast<unsigned char>(line[static_cast<size_t>(i)]);
    if ((byte & 0xC0) != 0x80) units += byte >= 0xF0 ? 2 : 1;
  }
  return units;
}

Json fix_of(const OrderPlace& place, Orders wanted, const std::string& base,
            report::SourceLines& sources) {
  const std::vector<std::string>& lines = sources.lines_of(place.file);
  const std::optional<SourceEdit> edit =
      order_edit(lines, place.line, place.operation, wanted, place.file.ends_with(".c"));
  if (!edit) return {};
  const auto text_of = [&](int line) {
    const auto i = static_cast<size_t>(line - 1);
    return i < lines.size() ? lines[i] : std::string();
  };
  const Json region = {{"startLine", edit->line},
                       {"startColumn", utf16_column(text_of(edit->line), edit->column)},
                       {"endLine", edit->end_line},
                       {"endColumn", utf16_column(text_of(edit->end_line), edit->end_column)}};
  const Json replacement = {{"deletedRegion", region}, {"insertedContent", {{"text", edit->text}}}};
  return {{"description",
           {{"text", fmt::format("{} instead of {}", orders_text(place.operation.kind, wanted),
                                 now_text(place))}}},
          {"artifactChanges", Json::array({{{"artifactLocation", artifact(place.file, base)},
                                            {"replacements", Json::array({replacement})}}})}};
}

}  // namespace

std::string orders_sarif(const OrdersResult& result) {
  const report::RunResult run = begin_result("orders", result.program, {});
  const std::string base = run.directory + "/";
  report::SourceLines sources;
  Json results = Json::array();
  for (size_t i = 0; i < result.places.size(); ++i) {
    if (!result.may_be_weaker(i)) continue;
    const OrderPlace& place = result.places[i];
    const std::string text =
        fmt::format("this {} may be {} instead of {} (with all changes of this run together {})",
                    operation_name(place.operation), best_text(result, i), now_text(place),
                    shown(result.trial));
    const Json where = {{"physicalLocation",
                         {{"artifactLocation", artifact(place.file, base)},
                          {"region", {{"startLine", place.line}}}}}};
    Json entry = {{"ruleId", "jostle/order"},
                  {"ruleIndex", 0},
                  {"level", "note"},
                  {"message", {{"text", text}}},
                  {"locations", Json::array({where})}};
    if (Json fix = fix_of(place, result.weakest[i].orders, base, sources); !fix.is_null()) {
      entry["fixes"] = Json::array({std::move(fix)});
    }
    results.push_back(std::move(entry));
  }
  const Json rule = {
      {"id", "jostle/order"},
      {"name", "WeakerMemoryOrder"},
      {"shortDescription",
       {{"text", "An atomic operation has a stronger memory order than it was seen to need."}}},
      {"defaultConfiguration", {{"level", "note"}}},
      {"properties", {{"tags", {"concurrency", "performance"}}}}};
  const Json driver = {
      {"name", "Jostle"}, {"semanticVersion", run.version}, {"rules", Json::array({rule})}};
  const Json sarif_run = {
      {"tool", {{"driver", driver}}},
      {"invocations", Json::array({{{"executionSuccessful", true}, {"exitCode", 0}}})},
      {"originalUriBaseIds", {{"SRCROOT", {{"uri", report::path_uri(base)}}}}},
      {"columnKind", "utf16CodeUnits"},
      {"results", std::move(results)}};
  const Json json = {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                     {"version", "2.1.0"},
                     {"runs", Json::array({sarif_run})}};
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace jostle::cli
