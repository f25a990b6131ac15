#include "workloads/edge_syntax.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/field_reader.h"
#include "engine/base/shortened.h"
#include "engine/base/text.h"
#include "workloads/compact_text.h"
#include "workloads/edge_fields.h"
#include "workloads/yaml_help.h"

namespace heliolite {
namespace {

constexpr const char* kOperators = "none, elementwise, softmax, norm, {pool: {k: 3, stride: 2}} or {resize: 2}";

std::vector<RankName> read_ranks(FieldReader& map, Diagnostics& errors) {
  std::vector<RankName> ranks;
  for (const YamlNode& node : elements(map.child("ranks"))) {
    if (node.is_scalar()) {
      ranks.push_back({node.text(), node});
    } else {
      errors.push_back(node.error(fmt::format("ranks = {}, must be names of dimensions", shown(node))));
    }
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

}  // namespace heliolite
