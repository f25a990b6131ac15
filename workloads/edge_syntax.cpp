// Reads what the entries of `edges` state besides their ends: `through`, `combine`, `slice` and `ranks`.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "engine/base/field_reader.h"
#include "engine/base/text.h"
#include "workloads/compact_text.h"
#include "workloads/network.h"
#include "workloads/network_parts.h"
#include "workloads/workload_fields.h"

namespace heliolite {
namespace {

Shape size(i64 least) { return shape::integer(least, static_cast<i64>(kMaxDimensionSize)); }

FileField ranks() {
  return {"ranks", shape::list_or_one(shape::text()), "Dimensions of the ranks that it works on.", "",
          "lines and columns"};
}

Shape through() {
  std::vector<std::string> plain;
  for (const Operator op : {Operator::None, Operator::Elementwise, Operator::Softmax, Operator::Norm})
    plain.emplace_back(name(op));
  return shape::either({shape::one_of(plain), shape::map(through_fields())});
}

Shape combine() {
  return shape::either({shape::one_of({std::string(name(Combine::Add)), std::string(name(Combine::Multiply))}),
                        shape::map(concat_fields())});
}

}  // namespace

const FieldTable& edge_fields() {
  static const FieldTable table{
      "edge",
      "The output of one layer, or an input, is an operand of another layer.",
      {required({"from", shape::text(), "The layer, or the input."}),
       required({"to", shape::text(), "The layer that reads it."}),
       required({"tensor", shape::text(), "The operand of that layer."}),
       {"through", through(), "What lies between them.", "", "none"},
       {"combine", combine(), "Of each of several edges into one operand: how they make it together."},
       {"slice", shape::map(slice_fields()), "The part of the output that it is.", "", "all of it"},
       {"ranks", shape::names(shape::list_or_one(shape::text())),
        "Which rank of the output is which of the operand, or which list of them, the outer first; {}: none is.", "",
        "the only way that sizes leave"}}};
  return table;
}

const FieldTable& input_fields() {
  static const FieldTable table{
      "input",
      "An input of the network.",
      {required({"name", shape::text(), "By which layers read it."}),
       {"same_in_repeats", shape::boolean(),
        "It is the same in all repetitions of its readers, like a weight that they share.", "", "false"}}};
  return table;
}

const FieldTable& through_fields() {
  static const FieldTable table{
      "operator between layers",
      "A pooling or a resizing.",
      {{"pool", shape::map(pool_fields()), "A pooling."},
       {"resize", shape::either({size(1), shape::map(resize_fields())}), "A resizing, by its factor."}}};
  return table;
}

const FieldTable& pool_fields() {
  static const FieldTable table{"pool",
                                "A pooling.",
                                {required({"k", size(1), "Length of the window, along each rank."}),
                                 {"stride", size(1), "Stride.", "", "k"},
                                 {"pad", size(0), "Border on either side, below k.", "", "unknown"},
                                 ranks()}};
  return table;
}

const FieldTable& resize_fields() {
  static const FieldTable table{"resize", "A resizing.", {required({"factor", size(1), "Its factor."}), ranks()}};
  return table;
}

const FieldTable& concat_fields() {
  static const FieldTable table{"concatenation",
                                "Parts one after the other, in the order of the file.",
                                {required({"concat", shape::text(), "Dimension of the rank along which they lie."})}};
  return table;
}

const FieldTable& slice_fields() {
  static const FieldTable table{
      "slice",
      "Positions of one rank of the output.",
      {required({"rank", shape::text(), "Dimension of the rank."}), required({"from", size(0), "The first position."}),
       required({"words", size(1), "How many positions."})}};
  return table;
}

namespace {

constexpr const char* kOperators = "none, elementwise, softmax, norm, {pool: {k: 3, stride: 2}} or {resize: 2}";

std::vector<RankName> read_ranks(FieldReader& map, Diagnostics& errors) {
  std::vector<RankName> ranks;
  for (const YamlNode& node : elements(map.child("ranks"))) {
    if (node.is_scalar()) ranks.push_back({node.text(), node});
    else errors.push_back(node.error(fmt::format("ranks = {}, must be names of dimensions", shown(node))));
  }
  return ranks;
}

std::optional<ThroughText> read_pool(const YamlNode& node, Diagnostics& errors) {
  const std::size_t before = errors.size();
  FieldReader map(node, pool_fields(), errors);
  ThroughText text;
  text.through.op = Operator::Pool;
  const i64 window = map.integer("k").value_or(1);
  text.through.window = static_cast<u64>(window);
  text.through.stride = static_cast<u64>(map.integer("stride").value_or(window));
  if (const auto pad = map.integer("pad", window - 1)) text.through.pad = static_cast<u64>(*pad);
  text.ranks = read_ranks(map, errors);
  map.finish();
  if (errors.size() != before) return std::nullopt;
  return text;
}

std::optional<ThroughText> read_resize(const YamlNode& node, Diagnostics& errors) {
  const std::size_t before = errors.size();
  ThroughText text;
  text.through.op = Operator::Resize;
  if (node.is_map()) {
    FieldReader map(node, resize_fields(), errors);
    text.through.factor = static_cast<u64>(map.integer("factor").value_or(1));
    text.ranks = read_ranks(map, errors);
    map.finish();
  } else {
    text.through.factor = read_size(node, "resize", kMaxDimensionSize, errors).value_or(1);
  }
  if (errors.size() != before) return std::nullopt;
  return text;
}

}  // namespace

std::optional<ThroughText> read_through(const YamlNode& node, Diagnostics& errors) {
  if (node.is_map()) {
    const std::size_t before = errors.size();
    FieldReader map(node, through_fields(), errors);
    const auto pool = map.child("pool"), resize = map.child("resize");
    map.finish();
    if (errors.size() != before) return std::nullopt;
    if (pool.has_value() != resize.has_value()) return pool ? read_pool(*pool, errors) : read_resize(*resize, errors);
  } else if (node.is_scalar()) {
    for (const Operator op : {Operator::None, Operator::Elementwise, Operator::Softmax, Operator::Norm})
      if (node.text() == name(op)) return ThroughText{.through = {.op = op}, .ranks = {}};
  }
  const std::vector<std::string> names{"none", "elementwise", "softmax", "norm", "pool", "resize"};
  const std::string hint = node.is_scalar() ? did_you_mean(node.text(), names) : "";
  errors.push_back(node.error(fmt::format("through = {}, must be {}{}", shown(node), kOperators, hint)));
  return std::nullopt;
}

std::optional<CombineText> read_combine(const YamlNode& node, Diagnostics& errors) {
  if (node.is_map()) {
    const std::size_t before = errors.size();
    FieldReader map(node, concat_fields(), errors);
    const auto rank = map.string("concat");
    map.finish();
    if (errors.size() != before) return std::nullopt;
    return CombineText{Combine::Concat, RankName{*rank, *map.child("concat")}};
  }
  for (const Combine combine : {Combine::Add, Combine::Multiply})
    if (node.is_scalar() && node.text() == name(combine)) return CombineText{combine, {}};
  const std::vector<std::string> names{"add", "multiply", "concat"};
  const std::string hint = node.is_scalar() ? did_you_mean(node.text(), names) : "";
  errors.push_back(
      node.error(fmt::format("combine = {}, must be add, multiply or {{concat: RANK}}{}", shown(node), hint)));
  return std::nullopt;
}

std::optional<SliceText> read_slice(const YamlNode& node, Diagnostics& errors) {
  const std::size_t before = errors.size();
  FieldReader map(node, slice_fields(), errors);
  const auto rank = map.string("rank");
  const auto from = map.integer("from"), words = map.integer("words");
  map.finish();
  if (errors.size() != before) return std::nullopt;
  return SliceText{{*rank, *map.child("rank")}, {0, static_cast<u64>(*from), static_cast<u64>(*words)}};
}

std::optional<RanksText> read_rank_pairs(const YamlNode& node, Diagnostics& errors) {
  const std::size_t before = errors.size();
  const auto complain = [&](const YamlNode& at, const std::string& what) {
    errors.push_back(at.error(
        fmt::format("{}, must be names of dimensions, as in {{M: [H, K], N: M}} or {{[H, M]: K, N: N}}", what)));
  };
  if (!node.is_map()) complain(node, fmt::format("ranks = {}", shown(node)));
  RanksText ranks{node, {}};
  for (const std::string& key : node.keys()) {
    const YamlNode value = *node.find(key);
    RankPairText pair;
    // A list that is a key arrives as its text.
    const bool list = key.starts_with('[') && key.ends_with(']');
    for (const std::string& name : split(list ? key.substr(1, key.size() - 2) : key, ','))
      pair.maker.push_back({std::string(trim(name)), value});
    for (const YamlNode& name : elements(value)) pair.reader.push_back({name.text(), name});
    const auto unnamed = [](const RankName& rank) { return rank.name.empty(); };
    if (std::ranges::any_of(pair.maker, unnamed)) complain(value, fmt::format("ranks of '{}'", shortened(key)));
    if (pair.reader.empty() || std::ranges::any_of(pair.reader, unnamed))
      complain(value, fmt::format("{} = {}", shortened(key), shown(value)));
    ranks.pairs.push_back(std::move(pair));
  }
  if (errors.size() != before) return std::nullopt;
  return ranks;
}

}  // namespace heliolite
