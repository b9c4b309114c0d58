// SPDX-License-Identifier: Apache-2.0
#include "src/strategy/parameters.h"

namespace jostle {
namespace {

using Problem = StrategySpec::Problem;

// Everything up to `separator`, which is taken off `text` with it.
std::string_view take(std::string_view& text, char separator) {
  const size_t end = text.find(separator);
  const std::string_view word = text.substr(0, end);
  text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
  return word;
}

bool read_number(std::string_view text, uint64_t& number) {
  if (text.empty() || text.size() > 18) return false;
  number = 0;
  for (const char digit : text) {
    if (digit < '0' || digit > '9') return false;
    number = number * 10 + static_cast<uint64_t>(digit - '0');
  }
  return true;
}

const StrategyInfo* find(std::string_view name, StrategyTable strategies) {
  for (const StrategyInfo* info : strategies) {
    if (info->name == name) return info;
  }
  return nullptr;
}

bool read_word(std::string_view text, std::string_view words, uint64_t& number) {
  for (number = 0; !words.empty(); ++number) {
    if (take(words, '|') == text) return true;
  }
  return false;
}

// One `name=value`.
void read_setting(std::string_view setting, StrategySpec& spec) {
  std::string_view value = setting;
  const std::string_view name = take(value, '=');
  const int i = spec.info->find(name);
  if (i < 0) {
    spec.problem = Problem::parameter;
    spec.culprit = name;
    return;
  }
  spec.parameter = &spec.info->parameters[i];
  uint64_t number;
  if (spec.parameter->words.empty() ? !read_number(value, number)
                                    : !read_word(value, spec.parameter->words, number)) {
    spec.problem = Problem::value;
    spec.culprit = value;
  } else if (number < spec.parameter->least || number > spec.parameter->most) {
    spec.problem = Problem::range;
    spec.culprit = value;
  } else {
    spec.values.of[i] = number;
  }
}

}  // namespace

int StrategyInfo::find(std::string_view parameter) const {
  for (int i = 0; i < kMostParameters && !parameters[i].name.empty(); ++i) {
    if (parameters[i].name == parameter) return i;
  }
  return -1;
}

uint64_t StrategyValues::operator[](std::string_view parameter) const {
  const int i = info->find(parameter);
  if (i < 0) __builtin_trap();
  return of[i];
}

StrategySpec parse_strategy(std::string_view text, StrategyTable strategies) {
  StrategySpec spec;
  const bool has_settings = text.find(':') != std::string_view::npos;
  const std::string_view name = take(text, ':');
  spec.info = find(name, strategies);
  if (!spec.info) {
    spec.problem = Problem::strategy;
    spec.culprit = name;
    return spec;
  }
  spec.values.info = spec.info;
  for (int i = 0; i < kMostParameters; ++i) spec.values.of[i] = spec.info->parameters[i].usual;
  while (has_settings && spec.problem == Problem::none) {
    read_setting(take(text, ','), spec);
    if (text.empty()) break;
  }
  return spec;
}

}  // namespace jostle
