// SPDX-License-Identifier: Apache-2.0
#include "src/cli/options/document.h"

#include <fmt/format.h>

#include <filesystem>
#include <span>

#include "src/cli/recording/files.h"
#include "src/cli/recording/recording.h"
#include "src/cli/support/values.h"
#include "src/report/formats/chrome_trace.h"
#include "src/report/formats/html_report.h"
#include "src/report/formats/junit.h"
#include "src/report/formats/sarif.h"
#include "src/report/words/text.h"

namespace jostle::cli {
namespace {

struct FormatName {
  Format format;
  std::string_view name, file;
};
// Those of a single run are at the end.
constexpr FormatName kFormats[] = {
    {Format::text, "text", ""},
    {Format::json, "json", "result.json"},
    {Format::sarif, "sarif", "results.sarif"},
    {Format::junit, "junit", "junit.xml"},
    {Format::gcc, "gcc", "diagnostics.txt"},
    {Format::html, "html", "report.html"},
    {Format::trace, "trace", "trace.json"},
};
constexpr size_t kCampaignFormats = 5;

void add_option(CommandLine& line, std::span<const FormatName> formats, const std::string& where,
                DocumentOptions& options) {
  std::string names;
  for (const FormatName& known : formats) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", known.name);
  }
  line.value("--format", "FORMAT", fmt::format("{}; {}", names, where),
             [formats, names, &options](const std::string& text) -> std::optional<std::string> {
               for (const FormatName& known : formats) {
                 if (known.name != text) continue;
                 options.format = known.format;
                 return std::nullopt;
               }
               return fmt::format("expected one of {}", names);
             });
}

}  // namespace

void add_format_option(CommandLine& line, DocumentOptions& options) {
  add_option(line, std::span(kFormats).first(kCampaignFormats),
             "to stdout, or with -o to a file in the program's folder there", options);
}

void add_run_format_options(CommandLine& line, DocumentOptions& options) {
  add_option(line, kFormats, "to stdout (the program's output then goes to stderr) or FILE",
             options);
  line.value("-o,--output", "FILE", "where --format is written",
             [&](const std::string& text) -> std::optional<std::string> {
               options.file = text;
               return std::nullopt;
             });
}

MaybeError check_run_format(const DocumentOptions& options) {
  if (options.wanted() || options.file.empty()) return std::nullopt;
  return Error{Exit::usage, fmt::format("-o {} is where a document is written: which? add --format "
                                        "json, sarif, junit, gcc, html or trace",
                                        shell_quote(options.file))};
}

std::string_view format_name(Format format) {
  for (const FormatName& known : kFormats) {
    if (known.format == format) return known.name;
  }
  return "";
}

std::string_view document_name(Format format) {
  for (const FormatName& known : kFormats) {
    if (known.format == format) return known.file;
  }
  return "";
}

std::string document_text(Format format, const report::RunResult& result, report::Json base) {
  switch (format) {
    case Format::text:
      return "";
    case Format::json:
      base["findings"] = report::Json::array();
      for (const report::TraceModel& model : result.failures) {
        base["findings"].push_back(report::failure_json(model));
      }
      return report::json_text(base);
    case Format::sarif:
      return report::sarif_text(result);
    case Format::junit:
      return report::junit_text(result);
    case Format::gcc:
      return report::gcc_text(result);
    case Format::html:
    case Format::trace:
      if (result.failures.empty()) return "";
      return format == Format::html ? report::html_report(result.failures[0])
                                    : report::chrome_trace_text(result.failures[0]);
  }
  return "";
}

MaybeError write_document(const DocumentOptions& options, std::string_view text) {
  if (options.on_stdout()) {
    const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
    if (!written || std::fflush(stdout) != 0) return Error{Exit::output, "cannot write to stdout"};
    return std::nullopt;
  }
  Result<AtomicFile> file = AtomicFile::open(options.file);
  if (!file) return file.error();
  return file->commit(text);
}

report::RunResult begin_result(std::string command, const std::string& program,
                               const std::vector<std::string>& arguments) {
  report::RunResult result;
  result.command = std::move(command);
  result.version = own_version();
  result.program = report::escape(program);
  for (const std::string& argument : arguments) {
    result.arguments.push_back(report::escape(argument));
  }
  std::error_code error;
  result.directory = std::filesystem::current_path(error).string();
  return result;
}

MaybeError write_run_document(const DocumentOptions& options, report::RunResult result,
                              const report::TraceModel* model) {
  const bool needs_failure = options.format == Format::html || options.format == Format::trace;
  if (needs_failure && model == nullptr) {
    note("the run did not fail: there is nothing to draw");
    return std::nullopt;
  }
  if (model != nullptr) result.failures.push_back(*model);
  report::Json base = {{"format", "jostle-run"},       {"version", 1},
                       {"jostle", result.version},     {"command", result.command},
                       {"program", result.program},    {"args", result.arguments},
                       {"exit_code", result.exit_code}};
  if (!result.problem.empty()) base["problem"] = result.problem;
  return write_document(options, document_text(options.format, result, std::move(base)));
}

}  // namespace jostle::cli
