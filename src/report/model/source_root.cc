// SPDX-License-Identifier: Apache-2.0
#include "src/report/model/source_root.h"

#include <algorithm>
#include <optional>

namespace jostle::report {
namespace {

std::string_view folder_of(std::string_view file) { return file.substr(0, file.rfind('/') + 1); }

// The longest folder that both paths are in.
std::string_view common_folder(std::string_view a, std::string_view b) {
  const auto differ = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first;
  return folder_of(a.substr(0, static_cast<size_t>(differ - a.begin())));
}

template <typename Visit>
void for_each_own_file(const TraceModel& model, Visit visit) {
  const auto look = [&](const Place& place) {
    if (!place.library && place.line != 0 && place.file.starts_with('/')) visit(place.file);
  };
  for (const Place& place : model.places) look(place);
  for (const Place& place : model.failing_stack) look(place);
  if (model.failing_place) look(*model.failing_place);
}

}  // namespace

std::string source_root(const TraceModel& model, std::string_view working_folder) {
  std::string here(working_folder);
  if (!here.ends_with('/')) here += '/';
  bool is_below = false;
  std::optional<std::string_view> common;
  for_each_own_file(model, [&](const std::string& file) {
    is_below |= here.size() > 1 && file.starts_with(here);
    common = common ? common_folder(*common, file) : folder_of(file);
  });
  if (is_below) return here;
  return common && common->size() > 1 ? std::string(*common) : std::string();
}

}  // namespace jostle::report
