#include "workloads/word_bits.h"

#include <fmt/format.h>
#include <algorithm>

#include "engine/base/field_reader.h"
#include "engine/base/integers.h"
#include "engine/base/text.h"

namespace heliolite {

int specificity(const std::string& selector, const Tensor& tensor) {
  if (selector == tensor.name) return 3;
  const std::string word = lower(selector);
  const std::string role{name(tensor.role)};
  if (word == role || word == role + "s") return 2;
  return word == "all" ? 1 : 0;
}

namespace {

constexpr const char* kAll = "all";

std::vector<std::string> tensor_names(std::span<const Workload* const> workloads) {
  std::vector<std::string> out;
  for (const Workload* w : workloads)
    for (const Tensor& t : w->tensors)
      if (!t.access_of && std::ranges::find(out, t.name) == out.end()) out.push_back(t.name);
  return out;
}

bool names_any(const std::string& selector, std::span<const Workload* const> workloads) {
  const auto here = [&](const Tensor& t) { return specificity(selector, t) > 0; };
  // A role of which a workload has no tensor is no slip.
  const std::string word = lower(selector);
  for (const Role role : {Role::Input, Role::Weight, Role::Output})
    if (word == name(role) || word == std::string(name(role)) + "s") return true;
  return std::ranges::any_of(workloads, [&](const Workload* w) { return std::ranges::any_of(w->tensors, here); });
}

Diagnostic not_a_size(std::string_view text) {
  return {"", 0, "--word-bits",
          fmt::format("'{}' must be {}; or TENSOR=BITS,.. (names of tensors, inputs, weights, outputs, all), types or "
                      "none",
                      shortened(text), word_lengths_allowed())};
}

}  // namespace

std::vector<TensorBits> read_word_bits(const YamlNode& node, Diagnostics& errors) {
  std::vector<TensorBits> out;
  const auto add = [&](const std::string& tensors, const YamlNode& value, std::string_view what) {
    if (const std::optional<WordLength> bits = read_word_length(value, what, errors)) out.push_back({tensors, *bits});
  };
  if (node.is_scalar()) add(kAll, node, "word_bits");
  else if (node.is_map())
    for (const std::string& key : node.keys())
      add(key, *node.find(key), fmt::format("word_bits of {}", shortened(key)));
  else
    errors.push_back(
        node.error("word_bits must be a number of bits, or a map of tensors and bits, like {weights: 4, "
                   "inputs: 8, outputs: 32}"));
  return out;
}

Result<WordBits> parse_word_bits(const std::string& text) {
  if (text == "types") return WordBits{WordBitsSource::Types, {}};
  if (text == "none") return WordBits{WordBitsSource::None, {}};
  WordBits out{WordBitsSource::Given, {}};
  if (const std::optional<WordLength> bits = parse_word_length(text)) {
    out.given.push_back({kAll, *bits});
    return out;
  }
  for (const std::string& part : split(text, ',')) {
    const std::size_t equals = part.find('=');
    if (equals == std::string::npos) return not_a_size(part);
    const std::string tensors(trim(std::string_view(part).substr(0, equals)));
    const std::optional<WordLength> bits = parse_word_length(std::string_view(part).substr(equals + 1));
    if (tensors.empty() || !bits) return not_a_size(part);
    if (std::ranges::find(out.given, tensors, &TensorBits::tensors) != out.given.end())
      return Diagnostic{"", 0, "--word-bits", fmt::format("a second size for {}", shortened(tensors))};
    out.given.push_back({tensors, *bits});
  }
  if (out.given.empty()) return not_a_size(text);
  return out;
}

void set_word_bits(Workload& workload, std::span<const TensorBits> sizes) {
  for (Tensor& t : workload.tensors) {
    if (t.access_of) {  // its first access stands before it
      t.word_bits = workload.tensors[*t.access_of].word_bits;
      continue;
    }
    int most = 0;
    for (const TensorBits& size : sizes) {
      const int here = specificity(size.tensors, t);
      if (here == 0 || here < most) continue;
      most = here;
      t.word_bits = size.bits;
    }
  }
}

Diagnostics unknown_tensors(std::span<const Workload* const> workloads, std::span<const TensorBits> sizes) {
  Diagnostics out;
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    const std::string& selector = sizes[k].tensors;
    if (names_any(selector, workloads)) continue;
    const std::vector<std::string> names = tensor_names(workloads);
    out.push_back({"", static_cast<int>(k), "",
                   fmt::format("unknown tensor '{}', must be all, inputs, weights, outputs or one of {}{}",
                               shortened(selector), join(names, "or"), did_you_mean(selector, names))});
  }
  return out;
}

Diagnostics set_word_bits(Network& network, const WordBits& sizes) {
  std::vector<const Workload*> workloads;
  for (Layer& layer : network.layers) {
    if (sizes.source == WordBitsSource::None)
      for (Tensor& t : layer.workload.tensors) t.word_bits.reset();
    set_word_bits(layer.workload, sizes.given);
    workloads.push_back(&layer.workload);
  }
  Diagnostics out = unknown_tensors(workloads, sizes.given);
  for (Diagnostic& d : out) d.line = 0, d.field = "--word-bits";
  for (const Layer& layer : network.layers)
    if (sizes.source == WordBitsSource::Given)
      for (Diagnostic& d : check(layer.workload)) out.push_back(std::move(d));
  return out;
}

bool states_word_bits(const Workload& workload) {
  return std::ranges::any_of(workload.tensors, [](const Tensor& t) { return t.word_bits.has_value(); });
}

std::string word_bits_text(const Workload& workload) {
  std::vector<std::string> sizes;
  for (const Tensor& t : workload.tensors)
    if (t.word_bits && !t.access_of) sizes.push_back(fmt::format("{}: {}", yaml_scalar(t.name), *t.word_bits));
  return fmt::format("{}", fmt::join(sizes, ", "));
}

Diagnostics refuse_word_bits(const Workload& workload, std::string_view who) {
  if (!states_word_bits(workload)) return {};
  return {{"", 0, "word_bits",
           fmt::format("{} states sizes of words ({}), which {} cannot count; --word-bits none leaves them out",
                       workload.name, word_bits_text(workload), who)}};
}

Diagnostics refuse_word_bits(const Network& network, std::string_view who) {
  for (const Layer& layer : network.layers)
    if (Diagnostics out = refuse_word_bits(layer.workload, who); !out.empty()) return out;
  return {};
}

namespace {

constexpr WordLength kByte = 8, kBit = 1;

Diagnostic unstated_size(const Workload& workload, const Tensor& tensor, const Workload& stated) {
  return {"", 0, "word_bits",
          fmt::format("{} of {} states no size of its words, but {} does ({}); state it in the file or with "
                      "--word-bits {}=BITS, or leave all sizes out with --word-bits none",
                      tensor.name, workload.name, stated.name, word_bits_text(stated), tensor.name)};
}

}  // namespace

std::string WordUnit::name() const { return one() + "s"; }

std::string WordUnit::one() const {
  if (counts_words()) return "word";
  if (bits == kByte) return "byte";
  return bits == kBit ? "bit" : fmt::format("{} bit", bits);
}

WordUnit::Sizes WordUnit::sizes(const Workload& workload) const {
  Sizes sizes;
  sizes.fill(1);
  if (counts_words()) return sizes;
  for (std::size_t v = 0; v < workload.tensors.size(); ++v)
    sizes[v] = static_cast<u32>(workload.tensors[v].word_bits.value_or(unstated.value_or(bits)).in_units(bits));
  return sizes;
}

Result<WordUnit> word_unit(std::span<const Workload* const> workloads, std::optional<WordLength> unstated) {
  const auto states = [](const Workload* w) { return states_word_bits(*w); };
  const auto stated = std::ranges::find_if(workloads, states);
  if (stated == workloads.end()) return WordUnit{};
  WordUnit unit{kByte, unstated};
  for (const Workload* w : workloads)
    for (const Tensor& t : w->tensors) {
      const std::optional<WordLength> bits = t.word_bits ? t.word_bits : unstated;
      if (!bits) return unstated_size(*w, t, **stated);
      unit.bits = gcd(unit.bits, *bits);
    }
  if (unit.bits != kByte) unit.bits = gcd(unit.bits, kBit);
  return unit;
}

Result<WordUnit> word_unit(const Workload& workload, std::optional<WordLength> unstated) {
  const Workload* one = &workload;
  return word_unit(std::span(&one, 1), unstated);
}

Result<WordUnit> word_unit(const Network& network, std::optional<WordLength> unstated) {
  std::vector<const Workload*> workloads;
  for (const Layer& layer : network.layers) workloads.push_back(&layer.workload);
  return word_unit(workloads, unstated);
}

}  // namespace heliolite
