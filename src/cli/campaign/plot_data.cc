// SPDX-License-Identifier: Apache-2.0
#include "src/cli/campaign/plot_data.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>

namespace jostle::cli {
namespace {

constexpr std::string_view kHead =
    "# relative_time, schedules, distinct, rf_pairs, signatures, corpus, failures, "
    "failing_schedules, shares\n";
constexpr size_t kColumns = 9;
constexpr std::chrono::milliseconds kFirst{50};
constexpr int kGrowth = 50;  // the next row comes a fiftieth of the time so far later

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t at = text.find(separator);
    std::string_view part = text.substr(0, at);
    while (part.starts_with(' ')) part.remove_prefix(1);
    while (part.ends_with(' ')) part.remove_suffix(1);
    parts.push_back(part);
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

template <typename T>
bool read_number(std::string_view text, T& out) {
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, out);
  return error == std::errc() && stopped == end;
}

}  // namespace

namespace {

// A link with this name may lead anywhere: it is replaced, not followed.
FILE* open_plain(const std::string& path) {
  struct stat info;
  if (lstat(path.c_str(), &info) == 0 && S_ISLNK(info.st_mode)) unlink(path.c_str());
  const int flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW;
  const int fd = open(path.c_str(), flags, 0666);
  return fd < 0 ? nullptr : fdopen(fd, "w");
}

}  // namespace

PlotData::PlotData(const std::string& path) : file_(open_plain(path)) {
  if (file_ != nullptr) fmt::print(file_, "{}{}", kHead, plot_row_text({}));
}

PlotData::~PlotData() {
  if (file_ != nullptr) std::fclose(file_);
}

void PlotData::add(const ProgressView& view) {
  if (view.elapsed < next_) return;
  next_ = view.elapsed + std::max<std::chrono::nanoseconds>(kFirst, view.elapsed / kGrowth);
  write(view);
}

void PlotData::finish(const ProgressView& view) { write(view); }

void PlotData::write(const ProgressView& view) {
  if (file_ == nullptr) return;
  PlotRow row;
  row.time = std::chrono::duration<double>(view.elapsed).count();
  row.schedules = view.totals.schedules;
  row.distinct = view.totals.distinct;
  row.rf_pairs = view.totals.reads_from_pairs;
  row.signatures = view.totals.reads_from_sets;
  row.corpus = view.totals.corpus;
  for (const auto& [kind, count] : view.failures) row.failures += static_cast<uint64_t>(count);
  row.failing_schedules = view.totals.failing_schedules;
  row.shares = read_shares(view.shares);
  fmt::print(file_, "{}", plot_row_text(row));
  std::fflush(file_);  // for those who watch
}

std::string plot_row_text(const PlotRow& row) {
  std::string shares;
  for (const auto& [name, percent] : row.shares) {
    shares += fmt::format("{}{}={}", shares.empty() ? "" : ";", name, percent);
  }
  return fmt::format("{:.3f}, {}, {}, {}, {}, {}, {}, {}, {}\n", row.time, row.schedules,
                     row.distinct, row.rf_pairs, row.signatures, row.corpus, row.failures,
                     row.failing_schedules, shares);
}

std::vector<PlotRow> read_plot_data(std::string_view text) {
  std::vector<PlotRow> rows;
  for (const std::string_view line : split(text, '\n')) {
    const std::vector<std::string_view> cells = split(line, ',');
    PlotRow row;
    if (cells.size() != kColumns || !read_number(cells[0], row.time)) continue;
    uint64_t* const numbers[] = {&row.schedules,        &row.distinct, &row.rf_pairs,
                                 &row.signatures,       &row.corpus,   &row.failures,
                                 &row.failing_schedules};
    bool valid = row.time >= 0 && (rows.empty() || row.time >= rows.back().time);
    for (size_t i = 0; i < std::size(numbers); ++i) valid &= read_number(cells[i + 1], *numbers[i]);
    if (!valid) continue;
    for (const std::string_view share : split(cells.back(), ';')) {
      const size_t at = share.rfind('=');
      int percent = 0;
      if (at != std::string_view::npos && read_number(share.substr(at + 1), percent)) {
        row.shares.emplace_back(share.substr(0, at), percent);
      }
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<std::pair<std::string, int>> read_shares(std::string_view text) {
  std::vector<std::pair<std::string, int>> shares;
  for (std::string_view part : split(text, ',')) {
    if (!part.ends_with(" %")) continue;
    part.remove_suffix(2);
    const size_t at = part.rfind(' ');
    int percent = 0;
    if (at == std::string_view::npos || !read_number(part.substr(at + 1), percent)) continue;
    std::string name(part.substr(0, at));
    std::replace(name.begin(), name.end(), ';', '/');
    shares.emplace_back(std::move(name), percent);
  }
  return shares;
}

}  // namespace jostle::cli
