// SPDX-License-Identifier: Apache-2.0
#include "src/report/formats/html_report.h"

#include <filesystem>

#include "src/report/explain/sentence.h"
#include "src/report/formats/html_pages.h"
#include "src/report/formats/html_parts.h"
#include "src/report/formats/source_excerpts.h"
#include "src/report/model/source_root.h"
#include "src/report/text/event_text.h"
#include "src/report/words/text.h"

namespace jostle::report {
namespace {

// For a <script> element: nothing in it may look like its end, or like a comment's beginning.
std::string script_json(const Json& json) {
  const std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string safe;
  safe.reserve(text.size());
  for (const char c : text) {
    if (c == '<' || c == '>' || c == '&') {
      constexpr char kHex[] = "0123456789abcdef";
      safe += "\\u00";
      safe += kHex[static_cast<unsigned char>(c) >> 4];
      safe += kHex[static_cast<unsigned char>(c) & 15];
    } else {
      safe += c;
    }
  }
  return safe;
}

// Puts values in the places of {{names}}. What is put in is not looked at again.
std::string fill(std::string_view page,
                 std::initializer_list<std::pair<std::string_view, std::string>> values) {
  std::string text;
  while (true) {
    const size_t begin = page.find("{{");
    const size_t end = begin == std::string_view::npos ? begin : page.find("}}", begin);
    if (end == std::string_view::npos) break;
    text += page.substr(0, begin);
    const std::string_view name = page.substr(begin + 2, end - begin - 2);
    for (const auto& [key, value] : values) {
      if (key == name) text += value;
    }
    page.remove_prefix(end + 2);
  }
  return text.append(page);
}

}  // namespace

std::string html_report(const TraceModel& model) {
  Json data = failure_json(model);
  std::error_code error;
  data["root"] = escape(source_root(model, std::filesystem::current_path(error).string()));
  Json& sources = data["sources"] = Json::array();
  for (const SourceExcerpt& excerpt : source_excerpts(model)) {
    sources.push_back(
        {{"file", escape(excerpt.file)}, {"first", excerpt.first}, {"lines", excerpt.lines}});
  }
  return fill(pages::report_html,
              {{"title", html_quote(headline(model))},
               {"verdict", html_quote(model.verdict)},
               {"summary", html_quote(model.summary)},
               {"values", values_html(model)},
               {"why", why_html(model)},
               {"time", early_html(model)},
               {"facts", facts_html(model)},
               {"replay", html_quote(model.replay_command)},
               {"no_replay", model.replay_command.empty() ? "hidden" : ""},
               {"note", html_quote(left_out_text(model))},
               {"steps", steps_html(model)},
               {"style", std::string(pages::base_css) + std::string(pages::report_css)},
               {"script", std::string(pages::report_js)},
               {"data", script_json(data)}});
}

std::string html_campaign(std::string_view title, const Json& campaign) {
  return fill(pages::campaign_html,
              {{"title", html_quote(title)},
               {"style", std::string(pages::base_css) + std::string(pages::campaign_css)},
               {"script", std::string(pages::campaign_js)},
               {"data", script_json(campaign)}});
}

std::string html_executions(std::string_view title, const Json& graph) {
  return fill(pages::executions_html,
              {{"title", html_quote(title)},
               {"style", std::string(pages::base_css) + std::string(pages::campaign_css)},
               {"script", std::string(pages::executions_js)},
               {"data", script_json(graph)}});
}

}  // namespace jostle::report
