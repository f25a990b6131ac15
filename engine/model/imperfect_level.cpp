#include "engine/model/imperfect_level.h"

#include <algorithm>

#include "engine/base/integers.h"
#include "engine/model/imperfect_fanout.h"
#include "engine/model/imperfect_product.h"
#include "engine/model/link_grid.h"
#include "engine/model/link_walk.h"

namespace heliolite {

ImperfectComputes ImperfectEvaluation::computes() {
  ImperfectComputes out;
  u64 cycles = 1;
  for (int l = 0; l < nest_.loop_count; ++l) (nest_.loop[l].spatial ? out.utilized : cycles) *= nest_.loop[l].end;
  out.macs_used = static_cast<u64>(nest_.used[0] * static_cast<double>(nest_.fanout[0]));
  w_.words.assign(nest_.contexts[0].count(), 0);
  product_steps(nest_, w_.words);
  u64 all_steps = 0, most_active = 1;
  for (std::size_t context = 0; context < w_.words.size(); ++context) {
    if (w_.words[context] == 0) continue;
    const u64 active = active_receivers(nest_, 0, nest_.contexts[0].last(context));
    all_steps += w_.words[context] * active;
    most_active = std::max(most_active, active);
  }
  const double steps = static_cast<double>(all_steps) / static_cast<double>(most_active);  // of a unit, on average
  out.computes = static_cast<u64>(steps * static_cast<double>(out.macs_used));
  out.cycles = nest_.perfect ? (out.computes + out.macs_used - 1) / out.macs_used : cycles;
  return out;
}

// Words that one receiver below level i gets, by context.
void ImperfectEvaluation::words_below(const CompiledTensor& t, int i) {
  w_.words.assign(nest_.contexts[i].count(), 0);
  if (i == 0) product_steps(nest_, w_.words);
  else if (!closed_forms_ || !product_words(t, nest_, i, w_.words)) w_.walk.run(t, nest_, i, w_.words);
}

ImperfectSums ImperfectEvaluation::sums(const CompiledTensor& t, int i) {
  words_below(t, i);
  if (!nest_.has_spatial(i)) return {w_.words[0], w_.words[0]};
  ImperfectSums out;
  for (std::size_t context = 0; context < w_.words.size(); ++context) {
    const u64 words = w_.words[context];
    if (words == 0) continue;  // never fetched there
    const DimensionMask last = nest_.contexts[i].last(context);
    out.accesses += words * distinct_receivers(t, nest_, i, c_.level[i], last);
    out.received += words * active_receivers(nest_, i, last);
  }
  return out;
}

// From the words by context that words_below() left. Without sliding ranks all groups of a context are equally large.
double ImperfectEvaluation::scaled_accesses(const CompiledTensor& t, int i, double scale, const ImperfectSums& sums) {
  if (scale == 1 || !nest_.has_spatial(i)) return static_cast<double>(sums.accesses) * scale;
  w_.groups.clear();
  for (std::size_t context = 0; context < w_.words.size(); ++context) {
    if (w_.words[context] == 0) continue;
    const DimensionMask last = nest_.contexts[i].last(context);
    if (t.sliding) {
      records(t, i, w_.level);
      double sum = 0;
      for (const NestRecord& r : w_.level.records) sum += r.words * scale;
      return sum;
    }
    const u64 distinct = distinct_receivers(t, nest_, i, c_.level[i], last);
    const u64 multicast = active_receivers(nest_, i, last) / distinct;
    // The third number carries the words.
    auto at = std::find_if(w_.groups.begin(), w_.groups.end(), [&](const ReceiverGroups& g) {
      return g.multicast > multicast || (g.multicast == multicast && g.groups >= distinct);
    });
    if (at == w_.groups.end() || at->multicast != multicast || at->groups != distinct)
      at = w_.groups.insert(at, {multicast, distinct, 0});
    at->half_hops += w_.words[context] * distinct;
  }
  double sum = 0;
  for (const ReceiverGroups& g : w_.groups) sum += static_cast<double>(g.half_hops) * scale;
  return sum;
}

void ImperfectEvaluation::records(const CompiledTensor& t, int i, LevelNest& out) {
  out.accesses_sum = out.share = out.links = 0;
  out.records.clear();
  if (may_link(static_cast<int>(&t - c_.tensor.data()), i)) return linked_records(t, i, out);
  words_below(t, i);
  for (std::size_t context = 0; context < w_.words.size(); ++context) {
    const u64 words = w_.words[context];
    if (words == 0) continue;  // never fetched there
    const DimensionMask last = nest_.contexts[i].last(context);
    imperfect_groups(t, nest_, i, c_.level[i], last, w_.groups);
    u64 distinct = 0;
    for (const ReceiverGroups& g : w_.groups) {
      add_record(g, words, out.records);
      distinct += g.groups;
    }
    out.accesses_sum += static_cast<double>(words * distinct);
    out.share += static_cast<double>(words * active_receivers(nest_, i, last));
  }
  out.share /= static_cast<double>(nest_.fanout[i]);
}

// Other than where factors divide, a tile that has changed its size may be fetched where it was: any neighbour will do.
bool ImperfectEvaluation::may_link(int v, int i) const {
  return contains(c_.level[at(i)].linked, v) && nest_.has_spatial(i);
}

bool ImperfectEvaluation::may_link(int v) const {
  if (!contains(c_.linked, v)) return false;
  for (int i = 0; i < c_.level_count; ++i)
    if (may_link(v, i)) return true;
  return false;
}

// Each step by itself: words that all receivers find at a neighbour, or none, or some, as the sender has least to send.
void ImperfectEvaluation::linked_records(const CompiledTensor& t, int i, LevelNest& out) {
  std::vector<LinkLoop> loops;
  for (int l = nest_.first[at(i)]; l < nest_.first_temporal[at(i)]; ++l) {
    const ImperfectLoop& loop = nest_.loop[at(l)];
    loops.push_back({loop.end, loop.residual, loop.dimension, {}});
    add_move(t, loop.dimension, static_cast<i64>(loop.step), loops.back().move);
  }
  LinkGrid grid(loops, std::max(c_.level[at(i)].fanout_x, nest_.columns[at(i)]),
                std::max(c_.level[at(i)].fanout_y, nest_.fanout[at(i)] / nest_.columns[at(i)]));
  for (const LinkSteps& steps : LinkWalk(t, nest_, i).run()) {
    LinkShare share = grid.without_links(steps.context);
    if (steps.repeats) {
      LinkShare less = grid.with_links(steps.context, steps.before, steps.shift);
      if (less.linked > 0 && less.distinct < share.distinct) share = std::move(less);
    }
    for (const ReceiverGroups& g : share.groups) add_record(g, steps.words, out.records);
    out.links += static_cast<double>(share.linked * steps.words);
  }
  for (const NestRecord& r : out.records) {
    out.accesses_sum += r.words;
    out.share += r.words * static_cast<double>(r.multicast) / static_cast<double>(nest_.fanout[at(i)]);
  }
}

}  // namespace heliolite
