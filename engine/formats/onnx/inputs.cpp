#include "engine/formats/onnx/inputs.h"

#include <fmt/format.h>
#include <algorithm>

#include "engine/base/integers.h"
#include "engine/base/named.h"
#include "engine/base/text.h"
#include "engine/formats/onnx/words.h"

namespace heliolite::onnx {
namespace {

constexpr std::string_view kValue = "value:", kElementwise = "elementwise";

// The merging of this name.
std::optional<Merge> find_merge(std::string_view name) { return find_named<Merge>(kMergeNames, name); }

}  // namespace

std::string option_key(std::string_view option) {
  const std::size_t equals = option.rfind('=');
  const std::string_view key = trim(option.substr(0, equals));
  return key == kElementwise ? fmt::format("{}={}", key, trim(option.substr(equals + 1))) : std::string(key);
}

Diagnostics add_options(std::string_view text, const std::string& file, Options& options) {
  Diagnostics errors;
  const auto complain = [&](std::string message) { errors.push_back({shortened(file), 0, "", std::move(message)}); };
  for (const std::string& option : split(text, ',')) {
    const std::size_t equals = option.rfind('=');
    const std::string key(trim(std::string_view(option).substr(0, equals)));
    const std::string value(equals == std::string::npos ? "" : trim(std::string_view(option).substr(equals + 1)));
    if (option == "skip-unknown") {
      options.skip_unknown = true;
    } else if (option == "types") {
      options.types = true;
    } else if (key == "merge") {
      options.merge = find_merge(value);
      const std::vector<std::string> names(kMergeNames.begin(), kMergeNames.end());
      if (!options.merge) complain(fmt::format("merge = {}, must be {}", shortened(value), join(names, "or")));
    } else if (key == kElementwise) {
      if (value.empty()) complain("elementwise = '', must be an operator, as my.domain::Op");
      options.elementwise.insert(value);
    } else if (key.starts_with(kValue)) {
      const std::optional<i64> number = parse_number<i64>(value);
      if (!number) complain(fmt::format("{} = {}, must be an integer", shortened(key), shortened(value)));
      options.values[key.substr(kValue.size())] = number.value_or(0);
    } else {
      const std::optional<i64> size = parse_number<i64>(value);
      if (key.empty() || !size || *size < 0 || *size > kMaxSize)
        complain(fmt::format("{} = {}, must be a size from 0 to {} ({}=1)", shortened(key), shortened(value), kMaxSize,
                             key.empty() ? "batch" : shortened(key)));
      else if (const auto [known, added] = options.dims.emplace(key, *size); !added && known->second != *size)
        complain(fmt::format("{} is both {} and {}", shortened(key), known->second, *size));
    }
  }
  return errors;
}

namespace {

class InputReader {
 public:
  InputReader(const Graph& graph, const Options& options, const std::string& file)
      : graph_(graph), options_(options), file_(file) {
    for (const TensorData& constant : graph.initializers) constants_.insert(constant.name);
  }

  Result<std::vector<TensorFacts>> run() {
    std::vector<TensorFacts> values;
    for (const ValueInfo& info : graph_.inputs)
      if (!constants_.contains(info.name)) values.push_back(input(info));
    missing();
    unknown_names();
    if (!errors_.empty()) return errors_;
    return values;
  }

 private:
  void complain(std::string_view input, std::string message) {
    errors_.push_back({file_, 0, shortened(input), std::move(message)});
  }

  TensorFacts input(const ValueInfo& info) {
    TensorFacts value{
        .name = std::string(info.name), .element = info.element, .stored_bits = element_bits(info.element)};
    if (!info.is_tensor) {
      value.why_unknown = fmt::format("input '{}' is no tensor", shortened(info.name));
      return value;
    }
    if (!info.has_shape) complain(info.name, "an input without a shape");
    Shape shape;
    for (std::size_t i = 0; i < info.dims.size(); ++i) shape.push_back(size(info, i));
    value.shape = shape;
    if (const auto given = options_.values.find(value.name); given != options_.values.end()) set(value, given->second);
    return value;
  }

  i64 size(const ValueInfo& info, std::size_t i) {
    const Dim& dim = info.dims[i];
    const std::string place = fmt::format("{}:{}", info.name, i);
    if (!dim.name.empty()) names_.insert(std::string(dim.name));
    names_.insert(place);
    auto given = options_.dims.find(place);
    if (given == options_.dims.end() && !dim.known && !dim.name.empty())
      given = options_.dims.find(std::string(dim.name));
    if (!dim.known) {
      if (given != options_.dims.end()) return given->second;
      missing_[dim.name.empty() ? place : std::string(dim.name)].push_back(std::string(info.name));
      return 1;
    }
    if (dim.size < 0 || dim.size > kMaxSize)
      complain(info.name, fmt::format("dimension {} is {}, must be from 0 to {}", i, dim.size, kMaxSize));
    if (given != options_.dims.end() && given->second != dim.size)
      complain(info.name, fmt::format("dimension {} is {} in the file, {} is not taken", i, dim.size, given->second));
    return dim.size;
  }

  void set(TensorFacts& value, i64 number) {
    const i64 count = elements(*value.shape);
    if (count > kMaxFolded) return complain(value.name, fmt::format("is too large to be given a value ({})", count));
    value.contents = std::make_shared<const Contents>(Contents{.integers = std::vector<i64>(at(count), number)});
    value.constant = true;
  }

  // All sizes that are missing, in one complaint.
  void missing() {
    if (missing_.empty()) return;
    std::vector<std::string> places, options;
    for (const auto& [name, inputs] : missing_) {
      options.push_back(shortened(name) + "=1");
      places.push_back(name.find(':') != std::string::npos
                           ? shortened(name)
                           : fmt::format("{} (of {})", shortened(name), shortened(inputs.front())));
      if (places.size() == 16) break;
    }
    errors_.push_back({file_, 0, "",
                       fmt::format("the file leaves {} size{} open: {}; give them as --dim {}", missing_.size(),
                                   missing_.size() == 1 ? "" : "s", join(places), fmt::join(options, ","))});
  }

  void unknown_names() {
    const std::vector<std::string> known(names_.begin(), names_.end());
    for (const auto& [name, size] : options_.dims)
      if (!names_.contains(name) && !of_others(name))
        errors_.push_back(
            {file_, 0, "--dim", fmt::format("no input has a dimension '{}'{}", shortened(name), hint(name, known))});
    const std::vector<std::string> inputs = names_of(graph_.inputs);
    for (const auto& [name, value] : options_.values)
      if (std::ranges::count(inputs, name) == 0 && !of_others("value:" + name))
        errors_.push_back(
            {file_, 0, "--value", fmt::format("no input is called '{}'{}", shortened(name), hint(name, inputs))});
  }

  bool of_others(const std::string& key) const {
    if (!options_.optional.contains(key)) return false;
    options_.lacked->insert(key);
    return true;
  }

  static std::string hint(const std::string& name, std::vector<std::string> known) {
    const std::string guess = did_you_mean(name, known);
    if (!guess.empty() || known.empty()) return guess;
    known.resize(std::min<std::size_t>(known.size(), 12));
    for (std::string& k : known) k = shortened(k);
    return ", only " + join(known);
  }

  const Graph& graph_;
  const Options& options_;
  const std::string& file_;
  std::set<std::string_view> constants_;
  std::set<std::string> names_;
  std::map<std::string, std::vector<std::string>> missing_;  // [name or place]: inputs
  Diagnostics errors_;
};

}  // namespace

Result<std::vector<TensorFacts>> model_inputs(const Graph& graph, const Options& options, const std::string& file) {
  return InputReader(graph, options, file).run();
}

u64 batch_of(const Graph& graph, const Options& options) {
  std::set<std::string_view> constants;
  for (const TensorData& constant : graph.initializers) constants.insert(constant.name);
  std::set<i64> sizes;
  for (const ValueInfo& info : graph.inputs) {
    for (std::size_t i = 0; i < info.dims.size() && !constants.contains(info.name); ++i) {
      const Dim& dim = info.dims[i];
      const std::string name = lower(dim.name);
      if (dim.known || (name != "n" && name.find("batch") == std::string::npos)) continue;
      auto given = options.dims.find(fmt::format("{}:{}", info.name, i));
      if (given == options.dims.end()) given = options.dims.find(std::string(dim.name));
      if (given != options.dims.end()) sizes.insert(given->second);
    }
  }
  return sizes.size() == 1 && *sizes.begin() >= 1 ? static_cast<u64>(*sizes.begin()) : 1;
}

std::optional<Shape> declared_shape(const ValueInfo& info, const Options& options) {
  if (!info.is_tensor || !info.has_shape) return std::nullopt;
  Shape shape;
  for (const Dim& dim : info.dims) {
    const auto given = options.dims.find(std::string(dim.name));
    const bool named = !dim.known && !dim.name.empty() && given != options.dims.end();
    if (!dim.known && !named) return std::nullopt;
    shape.push_back(dim.known ? dim.size : given->second);
    if (shape.back() < 0 || shape.back() > kMaxSize) return std::nullopt;
  }
  return shape;
}

}  // namespace heliolite::onnx
