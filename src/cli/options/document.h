// SPDX-License-Identifier: Apache-2.0
// `--format`: what a command found as a document for other tools, instead of text only.
#pragma once

#include <string>
#include <string_view>

#include "src/cli/options/command_line.h"
#include "src/cli/support/error.h"
#include "src/report/formats/failure_json.h"
#include "src/report/formats/run_result.h"

namespace jostle::cli {

enum class Format {
  text,
  json,
  sarif,
  junit,
  gcc,    // lines as compilers print them
  html,   // of a single run: report.html
  trace,  // of a single run: trace.json
};

struct DocumentOptions {
  Format format = Format::text;
  std::string file = {};  // empty: stdout

  bool wanted() const { return format != Format::text; }
  bool on_stdout() const { return wanted() && file.empty(); }
};

// --format for a campaign.
void add_format_option(CommandLine& line, DocumentOptions& options);
// --format and --output FILE for a single run.
void add_run_format_options(CommandLine& line, DocumentOptions& options);
// A file, and nothing to write there.
MaybeError check_run_format(const DocumentOptions& options);

std::string_view format_name(Format format);
// The name of the document in a campaign's folder.
std::string_view document_name(Format format);

// `base`: what the JSON document begins with, before its "findings".
std::string document_text(Format format, const report::RunResult& result, report::Json base);

// To the file, or to stdout.
MaybeError write_document(const DocumentOptions& options, std::string_view text);

// A result without findings, filled in with what is known here: version, directory.
report::RunResult begin_result(std::string command, const std::string& program,
                               const std::vector<std::string>& arguments);

// The document of a single run (`run`, `replay`); `model` is null when it did not fail.
MaybeError write_run_document(const DocumentOptions& options, report::RunResult result,
                              const report::TraceModel* model);

}  // namespace jostle::cli
