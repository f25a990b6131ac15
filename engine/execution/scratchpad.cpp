#include "engine/execution/scratchpad.h"

namespace heliolite {

Scratchpad::Scratchpad(const LoopNest& nest, u8 level, bool outputs_read)
    : nest_(nest), level_(level), outputs_read_(outputs_read), traffic_(nest.arrays.size()) {
  for (const NestAccess& access : nest.accesses) seen_.emplace_back(nest.arrays[at(access.array)].words, 0);
  tile_.fill(1);  // one more than any tile seen, when the first begins
}

void Scratchpad::begin(const LoopNestPart& part) {
  part_ = &part;
  // Between parts nothing stays: they are tilings of their own.
  for (std::size_t a = 0; a < nest_.accesses.size(); ++a) {
    ++tile_[a];
    turned_[a] = true;
  }
}

void Scratchpad::advance(std::size_t loop, u32 /*index*/) {
  const BoxLoop& l = part_->loops[loop];
  if (l.level < level_) return;
  for (std::size_t a = 0; a < nest_.accesses.size(); ++a)
    if (!contains(l.held, nest_.accesses[a].tensor)) turned_[a] = true;
}

void Scratchpad::visit(const TouchedWords& words) {
  for (std::size_t a = 0; a < nest_.accesses.size(); ++a) {
    const NestAccess& access = nest_.accesses[a];
    if (turned_[a]) {
      ++tile_[a];
      turned_[a] = false;
    }
    u32& seen = seen_[a][words[a] - nest_.arrays[at(access.array)].first];
    if (seen == tile_[a]) continue;
    if (seen == 0 || seen + 1 != tile_[a]) {
      if (!access.is_output || outputs_read_ || seen != 0) ++traffic_.loads[at(access.array)];
      if (access.is_output) ++traffic_.stores[at(access.array)];
    }
    seen = tile_[a];
  }
}

}  // namespace heliolite
