#pragma once
// The tree of values that the parser (yaml_builder.cpp) builds and YamlNode reads.
#include <algorithm>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/types.h"
#include "engine/base/yaml_node.h"

namespace heliolite {

// One value of a document. Aliases share it, so it does not know its field.
struct YamlValue {
  struct Entry {
    std::string key;
    int line = 0;  // of the file that the value is from
    std::shared_ptr<const YamlValue> value;
  };

  static constexpr std::size_t kManyEntries = 32;  // from here on a map finds its keys by hash

  YamlNode::Kind kind = YamlNode::Kind::Null;
  int line = 0;
  std::shared_ptr<const std::string> file;  // null: the document's
  bool quoted = false;
  std::string tag;
  std::string text;
  std::vector<std::shared_ptr<const YamlValue>> elements;
  std::vector<Entry> entries;
  u64 nodes = 1;   // of this subtree, aliases expanded
  int height = 1;  // levels of this subtree

  std::unordered_map<std::string, std::size_t> index;  // of a map with many entries: key -> entry

  const Entry* find(const std::string& key) const {
    if (!index.empty()) {
      const auto it = index.find(key);
      return it == index.end() ? nullptr : &entries[it->second];
    }
    const auto it = std::ranges::find(entries, key, &Entry::key);
    return it == entries.end() ? nullptr : &*it;
  }
  void make_index() {
    if (entries.size() < kManyEntries) return;
    for (std::size_t i = 0; i < entries.size(); ++i) index.emplace(entries[i].key, i);
  }
  void account(const YamlValue& child) {
    nodes += child.nodes;
    height = std::max(height, child.height + 1);
  }
};

// A value with the file and the field path by which it was reached.
struct YamlNode::Impl {
  std::shared_ptr<const std::string> file;
  std::string field;
  std::shared_ptr<const YamlValue> value;
};

// Merge keys of YAML maps: `<<` fills in whole entries, `<<<` also what entries that are maps or lists lack.

// Adds to the entries of `map` those of each source, the first one going before the next. An entry that the map has
// stays as it is; unless `deep`: then a map gets what it lacks from the source's map, and a list is followed by the
// source's list. A value tagged !nomerge gets nothing. The entries' places are those of the files they come from.
void merge_into(YamlValue& map, const std::vector<std::shared_ptr<const YamlValue>>& sources, bool deep);

inline constexpr int kMaxYamlDepth = 64;

// The root of the text's only document, or null when there is none. Complains about syntax, depth, size with aliases
// expanded, duplicate keys and further documents.
std::shared_ptr<const YamlValue> build_yaml(const YamlText& text, Diagnostics& errors);

// The place of a line (1-based) of the text; 0 is the text as a whole.
YamlLine origin_of(const YamlText& text, int line);

}  // namespace heliolite
