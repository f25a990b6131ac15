#include "engine/base/yaml_merge.h"

#include <string_view>
#include <unordered_map>
#include <utility>

namespace heliolite {
namespace {

constexpr std::string_view kNoMerge = "!nomerge";

std::shared_ptr<const YamlValue> joined(const std::shared_ptr<const YamlValue>& own,
                                        const std::shared_ptr<const YamlValue>& other) {
  if (own->kind != other->kind || own->tag == kNoMerge) return own;
  if (own->kind != YamlNode::Kind::Map && own->kind != YamlNode::Kind::Sequence) return own;
  auto both = std::make_shared<YamlValue>(*own);
  if (own->kind == YamlNode::Kind::Map) {
    merge_into(*both, {other}, true);
    return both;
  }
  for (const auto& element : other->elements) {
    both->account(*element);
    both->elements.push_back(element);
  }
  return both;
}

}  // namespace

void merge_into(YamlValue& map, const std::vector<std::shared_ptr<const YamlValue>>& sources, bool deep) {
  std::unordered_map<std::string_view, std::size_t> known;
  std::vector<YamlValue::Entry> entries = std::move(map.entries);
  std::size_t most = entries.size();
  for (const auto& source : sources) most += source->entries.size();
  entries.reserve(most);  // `known` refers to the keys
  for (std::size_t i = 0; i < entries.size(); ++i) known.emplace(entries[i].key, i);
  for (const auto& source : sources) {
    for (const YamlValue::Entry& entry : source->entries) {
      const auto it = known.find(entry.key);
      if (it == known.end()) {
        entries.push_back(entry);
        known.emplace(entries.back().key, entries.size() - 1);
      } else if (deep) {
        entries[it->second].value = joined(entries[it->second].value, entry.value);
      }
    }
  }
  map.entries = std::move(entries);
  map.nodes = 1;
  map.height = 1;
  for (const YamlValue::Entry& entry : map.entries) map.account(*entry.value);
  map.index.clear();
  map.make_index();
}

}  // namespace heliolite
