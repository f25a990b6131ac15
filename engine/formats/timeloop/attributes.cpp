#include "engine/formats/timeloop/attributes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/base/text.h"

namespace heliolite {
namespace {

// What Timeloop turns into underscores before it reads a file (src/compound-config/hyphens-to-underscores.hpp).
constexpr std::string_view kEitherSpelling[] = {
    "addr_gen_energy",    "block_size",      "cluster_area",       "cluster_size", "energy_per_hop",
    "metadata_word_bits", "min_utilization", "multiple_buffering", "network_type", "network_word_bits",
    "num_banks",          "num_ports",       "router_energy",      "tile_width",   "vector_access_energy",
    "wire_energy",        "word_bits"};

constexpr std::size_t kMaxReferences = 32;  // references of one attribute to the next
constexpr int kMaxLookups = 10'000;         // in one value; sums of sums of names grow exponentially

std::string underscored(std::string_view name) {
  std::string text(name);
  std::ranges::replace(text, '-', '_');
  return text;
}

// "block-size" -> "block_size", "read-bandwidth" as it is.
std::string name_in_timeloop(const std::string& key) {
  std::string name = underscored(key);
  const bool one_style = key.find('-') == std::string::npos || key.find('_') == std::string::npos;
  return one_style && std::ranges::find(kEitherSpelling, name) != std::end(kEitherSpelling) ? name : key;
}

// Follows names through attributes and variables, guarding against circles.
class Evaluator {
 public:
  Evaluator(const TimeloopAttributes& attributes, const TimeloopAttributes& variables)
      : attributes_(attributes), variables_(variables) {}

  // `of`: the attribute whose value it is, if it is one's.
  ExpressionResult value(const YamlNode& node, const TimeloopAttribute* of) {
    if (!node.is_scalar()) return {{}, "must be a number or an expression"};
    if (const std::optional<double> number = node.as_number()) return {number, {}};
    const std::string& text = node.text();
    if (text.find("{{") != std::string::npos || text.find("{%") != std::string::npos)
      return {{}, "templates ({{..}}, {%..%}) are not expanded here: expand the file with its own tool first"};
    if (++lookups_ > kMaxLookups) return {{}, "too many names to follow"};
    if (followed_.size() >= kMaxReferences) return {{}, "it refers through too many names"};
    followed_.push_back(of);
    const ExpressionResult result =
        evaluate_expression(text, [this](std::string_view name, std::string& error) { return lookup(name, error); });
    followed_.pop_back();
    return result;
  }

 private:
  bool is_followed(const TimeloopAttribute& attribute) const {
    return std::ranges::find(followed_, &attribute) != followed_.end();
  }

  std::optional<double> lookup(std::string_view name, std::string& error) {
    std::string_view bare = name;
    const bool only_own = bare.starts_with("attributes.");
    const bool only_variable = bare.starts_with("variables.");
    if (only_own) bare.remove_prefix(11);
    if (only_variable) bare.remove_prefix(10);
    TimeloopAttribute* found = nullptr;
    bool circle = false;
    const auto look_in = [&](const TimeloopAttributes& names) {
      const auto it = names.find(bare);
      if (it == names.end()) return;
      // In its own value a name means what it means further out.
      for (found = it->second.get(); found != nullptr && is_followed(*found); found = found->outer.get()) circle = true;
    };
    if (!only_variable) look_in(attributes_);
    if (found == nullptr && !only_own) look_in(variables_);
    if (found == nullptr) {
      std::vector<std::string> names;
      for (const auto& [key, _] : attributes_) names.push_back(key);
      for (const auto& [key, _] : variables_) names.push_back(key);
      error = circle ? fmt::format("'{}' refers to itself, and nothing around it has a value of that name", name)
                     : fmt::format("unknown name '{}'{}", name, did_you_mean(bare, names));
      return std::nullopt;
    }
    found->used = true;
    const ExpressionResult result = value(found->node, found);
    if (!result.value) error = fmt::format("{} has no value: {}", name, result.error);
    return result.value;
  }

  const TimeloopAttributes& attributes_;
  const TimeloopAttributes& variables_;
  std::vector<const TimeloopAttribute*> followed_;  // whose values are being worked out
  int lookups_ = 0;
};

// 16 and 16.0, SRAM and SRAM.
bool same_value(const YamlNode& a, const YamlNode& b) {
  if (!a.is_scalar() || !b.is_scalar()) return false;
  const std::optional<double> number = a.as_number();
  return number ? number == b.as_number() : a.text() == b.text();
}

}  // namespace

void hide(const TimeloopAttributes& around, TimeloopAttributes& attributes) {
  for (auto& [name, attribute] : attributes)
    if (const auto it = around.find(name); it != around.end()) attribute->outer = it->second;
}

std::string listed(const UnreadAttributes& unread) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < unread.size(); ++i) {
    const UnreadAttribute& first = unread[i];
    const auto is_same = [&](const UnreadAttribute& other) {
      return other.name == first.name && other.hint == first.hint;
    };
    const auto here = unread.begin() + i;
    if (std::any_of(unread.begin(), here, is_same)) continue;
    const auto others = std::count_if(here + 1, unread.end(), is_same);
    names.push_back(fmt::format("'{}' of {}{} ({}:{}){}", first.name, first.owner,
                                others == 0 ? "" : fmt::format(" and {} more", others), first.file, first.line,
                                first.hint));
  }
  return fmt::format("{}", fmt::join(names, "; "));
}

TimeloopAttributes read_attributes(const YamlNode& map, Spellings skip, Diagnostics& errors) {
  TimeloopAttributes attributes;
  if (map.is_null()) return attributes;
  if (!map.is_map()) {
    errors.push_back(map.error("must be a map of attributes"));
    return attributes;
  }
  for (const std::string& key : map.keys()) {
    if (std::find(skip.begin(), skip.end(), key) != skip.end()) continue;
    const std::optional<YamlNode> value = map.find(key);
    auto attribute = std::make_shared<TimeloopAttribute>(TimeloopAttribute{*value, map.key_line(key)});
    const std::string name = name_in_timeloop(key);
    const auto [first, is_new] = attributes.emplace(name, std::move(attribute));
    if (!is_new && !same_value(first->second->node, *value))
      errors.push_back(value->error(fmt::format("{} is given twice, as {} and {}", name, name, key)));
  }
  return attributes;
}

bool says_nothing(const YamlNode& node) {
  if (!node.is_scalar()) return node.size() == 0;
  if (const std::optional<double> number = node.as_number()) return *number == 0;
  const std::string word = lower(node.text());
  return word.empty() || word == "none" || word == "null" || node.as_bool() == false || word == "no";
}

std::optional<double> number_of(const YamlNode& node, const TimeloopAttributes& attributes,
                                const TimeloopAttributes& variables, Diagnostics& errors, const TimeloopAttribute* of) {
  ExpressionResult result = Evaluator(attributes, variables).value(node, of);
  if (!result.value) errors.push_back(node.error(fmt::format("{}: {}", shown(node), result.error)));
  return result.value;
}

AttributeReader::AttributeReader(const YamlNode& place, std::string owner, TimeloopAttributes own,
                                 const TimeloopAttributes& inherited, const TimeloopAttributes& variables,
                                 Diagnostics& errors)
    : place_(place), owner_(std::move(owner)), all_(own), own_(std::move(own)), variables_(variables), errors_(errors) {
  for (const auto& [name, attribute] : inherited) {
    if (own_.contains(name)) attribute->used = true;  // overridden here
    all_.emplace(name, attribute);
  }
}

void AttributeReader::complain(const TimeloopAttribute& attribute, std::string message) {
  errors_.push_back(attribute.node.error(std::move(message)));
}

void AttributeReader::error(std::string message) { errors_.push_back(place_.error(std::move(message))); }

std::shared_ptr<TimeloopAttribute> AttributeReader::find(Spellings names) {
  std::shared_ptr<TimeloopAttribute> found;
  std::string_view found_name;
  for (const std::string_view name : names) {
    known_.emplace_back(name);
    if (const auto it = all_.find(name); it != all_.end()) it->second->used = true;
  }
  for (const bool own : {true, false}) {
    for (const std::string_view name : names) {
      const TimeloopAttributes& from = own ? own_ : all_;
      const auto it = from.find(name);
      if (it == from.end()) continue;
      if (!found) {
        found = it->second;
        found_name = name;
      } else if (own && it->second != found && !same_value(it->second->node, found->node)) {
        complain(*it->second,
                 fmt::format("{} of {} is given twice, as {} and {}", found_name, owner_, found_name, name));
      }
    }
    if (found) break;
  }
  return found && !found->node.is_null() ? found : nullptr;
}

std::optional<YamlNode> AttributeReader::node(Spellings names) {
  const auto attribute = find(names);
  if (!attribute) return std::nullopt;
  return attribute->node;
}

std::optional<double> AttributeReader::number(Spellings names, double low, double high) {
  const auto attribute = find(names);
  if (!attribute) return std::nullopt;
  const std::optional<double> value = number_of(attribute->node, all_, variables_, errors_, attribute.get());
  if (!value || (*value >= low && *value <= high)) return value;
  complain(*attribute, fmt::format("{} of {} = {}, must be from {} to {}", *names.begin(), owner_,
                                   shown(attribute->node), low, high));
  return std::nullopt;
}

std::optional<u64> AttributeReader::integer(Spellings names, u64 low, u64 high) {
  const auto attribute = find(names);
  if (!attribute) return std::nullopt;
  const std::optional<double> value = number_of(attribute->node, all_, variables_, errors_, attribute.get());
  if (!value) return std::nullopt;
  if (*value >= static_cast<double>(low) && *value <= static_cast<double>(high) && *value == std::floor(*value))
    return static_cast<u64>(*value);
  complain(*attribute, fmt::format("{} of {} = {}, must be an integer from {} to {}", *names.begin(), owner_,
                                   shown(attribute->node), low, high));
  return std::nullopt;
}

std::optional<std::string> AttributeReader::string(Spellings names) {
  const auto attribute = find(names);
  if (!attribute) return std::nullopt;
  if (attribute->node.is_scalar()) return attribute->node.text();
  complain(*attribute, fmt::format("{} of {} must be a text", *names.begin(), owner_));
  return std::nullopt;
}

bool AttributeReader::has(Spellings names) const {
  return std::ranges::any_of(names, [&](std::string_view name) { return all_.contains(name); });
}

void AttributeReader::ignore(Spellings names) {
  for (const std::string_view name : names) {
    harmless_.emplace_back(name);
    if (const auto it = all_.find(name); it != all_.end()) it->second->used = true;
  }
}

void AttributeReader::refuse(Spellings names, std::string_view why) {
  for (const std::string_view name : names) {
    harmless_.emplace_back(name);
    const auto it = all_.find(name);
    if (it == all_.end()) continue;
    it->second->used = true;
    if (!says_nothing(it->second->node))
      complain(*it->second, fmt::format("{} = {} of {}: {}", name, shown(it->second->node), owner_, why));
  }
}

void AttributeReader::list_unread(UnreadAttributes& list) const {
  std::vector<std::string> candidates = known_;
  candidates.insert(candidates.end(), harmless_.begin(), harmless_.end());
  UnreadAttributes unread;
  for (const auto& [name, attribute] : own_) {
    if (attribute->used) continue;
    const auto is_spelt_otherwise = [&name = name](const std::string& other) {
      return other != name && underscored(other) == underscored(name);
    };
    const auto spelt = std::ranges::find_if(candidates, is_spelt_otherwise);
    const std::string hint = spelt == candidates.end()
                                 ? did_you_mean(name, candidates)
                                 : fmt::format(", which Timeloop reads only if it is spelt '{}'", *spelt);
    unread.push_back({name, owner_, attribute->node.file(), attribute->line, hint});
  }
  std::ranges::stable_sort(unread, {}, &UnreadAttribute::line);
  list.insert(list.end(), unread.begin(), unread.end());
}

void AttributeReader::finish() {
  UnreadAttributes unread;
  list_unread(unread);
  for (const UnreadAttribute& attribute : unread) {
    const std::string hint =
        attribute.hint.empty() && !known_.empty() ? "; understood are " + join(known_, "and") : attribute.hint;
    errors_.push_back({attribute.file, attribute.line, place_.field(),
                       fmt::format("attribute '{}' of {} is not understood{}", attribute.name, owner_, hint)});
  }
}

}  // namespace heliolite
