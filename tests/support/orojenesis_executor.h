#pragma once
// Executes the mappings of one buffer word by word: what the buffer of a tensor holds when tiles follow each other in
// the order of the loops, and what it has to bring in. Shares nothing with engine/bounds but its options.
#include <algorithm>
#include <set>
#include <vector>

#include "engine/bounds/curve/orojenesis.h"
#include "engine/model/nest.h"
#include "tests/support/orojenesis_fronts.h"
#include "workloads/workload.h"

namespace heliolite::testing {

// What a buffer keeps of the words that are there when the next tile comes.
enum class Keeps {
  Tile,  // those that the tile needs
  Box,   // those between the least and the greatest that the tile needs: a later tile may need what lies between
};

struct ExecutedArray {
  u64 held = 0;      // most words at a time
  u64 brought = 0;   // words that come in
  u64 distinct = 0;  // different ones
};

// All accesses of one array: what one of them has brought in the others find.
class ArrayExecutor {
 public:
  ArrayExecutor(const Workload& workload, std::vector<const Tensor*> accesses)
      : workload_(workload), accesses_(std::move(accesses)) {}

  // `order`: the loops over the tiles, innermost first. `kept`: bit a for access a; the others read what is not there
  // for every MAC.
  ExecutedArray run(const std::vector<u64>& tile, const std::vector<int>& order, u32 kept, Keeps keeps) const {
    std::set<Word> held, seen;
    ExecutedArray executed;
    std::vector<u64> first(tile.size(), 0);
    for (bool more = true; more; more = advance(first, tile, order)) {
      std::vector<std::set<Word>> now;
      for (std::size_t a = 0; a < accesses_.size(); ++a)
        if ((kept >> a & 1) != 0) now.push_back(words(*accesses_[a], first, tile));
      std::erase_if(held, [&](const Word& w) {
        return std::ranges::none_of(now, [&](const std::set<Word>& tile_words) {
          return keeps == Keeps::Tile ? tile_words.contains(w) : in_box(w, tile_words);
        });
      });
      for (const std::set<Word>& tile_words : now)
        for (const Word& w : tile_words) executed.brought += held.insert(w).second;
      executed.held = std::max<u64>(executed.held, held.size());
      for_each_mac(first, tile, [&](const std::vector<u64>& at) {
        std::set<Word> read;
        for (const Tensor* access : accesses_) read.insert(word(*access, at));
        for (const Word& w : read) executed.brought += !held.contains(w);
        seen.insert(read.begin(), read.end());
      });
    }
    executed.distinct = seen.size();
    return executed;
  }

 private:
  using Word = std::vector<u64>;  // position by rank

  bool advance(std::vector<u64>& first, const std::vector<u64>& tile, const std::vector<int>& order) const {
    for (const int loop : order) {
      const auto d = static_cast<std::size_t>(loop);
      first[d] += tile[d];
      if (first[d] < workload_.dimensions[d].size) return true;
      first[d] = 0;
    }
    return false;
  }

  static Word word(const Tensor& tensor, const std::vector<u64>& at) {
    Word word;
    for (const Rank& rank : tensor.ranks) {
      word.push_back(0);
      for (const Term& term : rank.terms)
        word.back() += term.coefficient * at[static_cast<std::size_t>(term.dimension)];
    }
    return word;
  }

  std::set<Word> words(const Tensor& tensor, const std::vector<u64>& first, const std::vector<u64>& tile) const {
    std::set<Word> all;
    for_each_mac(first, tile, [&](const std::vector<u64>& at) { all.insert(word(tensor, at)); });
    return all;
  }

  template <class Visit>
  void for_each_mac(const std::vector<u64>& first, const std::vector<u64>& tile, Visit&& body) const {
    std::vector<u64> at = first;
    const auto visit = [&](auto& self, std::size_t d) -> void {
      if (d == at.size()) return body(at);
      const u64 end = std::min(first[d] + tile[d], workload_.dimensions[d].size);
      for (at[d] = first[d]; at[d] < end; ++at[d]) self(self, d + 1);
    };
    visit(visit, 0);
  }

  static bool in_box(const Word& word, const std::set<Word>& tile) {
    for (std::size_t r = 0; r < word.size(); ++r) {
      const auto by_rank = [&](const Word& a, const Word& b) { return a[r] < b[r]; };
      const auto [least, most] = std::minmax_element(tile.begin(), tile.end(), by_rank);
      if (word[r] < (*least)[r] || word[r] > (*most)[r]) return false;
    }
    return true;
  }

  const Workload& workload_;
  std::vector<const Tensor*> accesses_;
};

// Every mapping of one buffer, executed: every tile, order of the loops, choice of what is kept and how.
inline Front executed_front(const Workload& w, const OrojenesisOptions& options) {
  Front all;
  const std::size_t tensors = w.tensors.size();
  std::vector<u64> tile(w.dimensions.size(), 1);
  const auto price = [&](const std::vector<int>& order) {
    struct Choice {
      u64 buffer, accesses;
    };
    std::vector<std::vector<Choice>> choices;
    for (std::size_t v = 0; v < tensors; ++v) {
      if (w.tensors[v].access_of) continue;
      std::vector<const Tensor*> accesses;
      for (std::size_t other = v; other < tensors; ++other)
        if (other == v || w.tensors[other].access_of == static_cast<int>(v)) accesses.push_back(&w.tensors[other]);
      const ArrayExecutor executor(w, accesses);
      std::vector<Choice>& here = choices.emplace_back();
      for (u32 kept = 0; kept < 1u << accesses.size(); ++kept)
        for (const Keeps keeps : {Keeps::Tile, Keeps::Box}) {
          const ExecutedArray e = executor.run(tile, order, kept, keeps);
          const bool back = w.tensors[v].is_output() && options.partial_sums == PartialSums::ReadBack;
          here.push_back({e.held * options.word_size[v],
                          (e.brought + (back ? e.brought - e.distinct : 0)) * options.word_size[v]});
        }
    }
    const auto combine = [&](auto& self, std::size_t v, u64 buffer, u64 accesses) -> void {
      if (v == choices.size()) return put(all, buffer, accesses);
      for (const Choice& c : choices[v]) self(self, v + 1, buffer + c.buffer, accesses + c.accesses);
    };
    combine(combine, 0, 0, 0);
  };
  const auto choose = [&](auto& self, std::size_t d) -> void {
    if (d == tile.size()) {
      std::vector<int> outer;
      for (std::size_t k = 0; k < tile.size(); ++k)
        if (tile[k] < w.dimensions[k].size) outer.push_back(static_cast<int>(k));
      return for_each_order(outer, price);
    }
    for (u64 t = 1; t <= w.dimensions[d].size; ++t) {
      if (!options.imperfect && w.dimensions[d].size % t != 0) continue;
      tile[d] = t;
      self(self, d + 1);
    }
  };
  choose(choose, 0);
  return thinned(all);
}

}  // namespace heliolite::testing
