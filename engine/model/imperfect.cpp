#include "engine/model/imperfect.h"

#include <algorithm>

#include "engine/model/imperfect_fanout.h"
#include "engine/model/imperfect_nest.h"
#include "engine/model/imperfect_product.h"

namespace heliolite {
namespace {

// One evaluation.
class Evaluator {
 public:
  Evaluator(const Compiled& c, const Mapping& m, ImperfectWorkspace& w, const ImperfectOptions& options)
      : c_(c), nest_(c, m), w_(w), options_(options) {}

  void run(NestTraffic& out) {
    count_computes(out);
    out.at.resize(static_cast<std::size_t>(c_.tensor_count));
    for (int v = 0; v < c_.tensor_count; ++v) {
      auto& levels = out.at[static_cast<std::size_t>(v)];
      levels.resize(static_cast<std::size_t>(c_.level_count));
      for (int i = 0; i < c_.level_count; ++i) level(c_.tensor[v], i, levels[static_cast<std::size_t>(i)]);
    }
  }

 private:
  // Rules 13, 24, 27.
  void count_computes(NestTraffic& out) {
    out.utilized_macs = 1;
    u64 cycles = 1;
    for (int l = 0; l < nest_.loop_count; ++l)
      (nest_.loop[l].spatial ? out.utilized_macs : cycles) *= nest_.loop[l].end;
    out.macs_used = static_cast<u64>(nest_.used[0] * static_cast<double>(nest_.fanout[0]));
    start(0);
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
    out.compute_cycles = nest_.perfect ? (out.computes + out.macs_used - 1) / out.macs_used : cycles;
  }

  void start(int i) { w_.words.assign(nest_.contexts[i].count(), 0); }

  // Words that one receiver below level i gets, by context.
  void words_below(const CompiledTensor& t, int i) {
    start(i);
    if (i == 0) product_steps(nest_, w_.words);
    else if (!options_.closed_forms || !product_words(t, nest_, i, w_.words)) w_.walk.run(t, nest_, i, w_.words);
  }

  void level(const CompiledTensor& t, int i, LevelNest& out) {
    out.tile_words = residual_box_words(t, nest_.largest(nest_.inside[i + 1], nest_.first[i + 1]));
    out.tile_below_master = residual_box_words(t, nest_.largest(nest_.master[i], nest_.first_temporal[i]));
    out.used = static_cast<u64>(nest_.used[i]);
    out.fanout = nest_.fanout[i];
    out.accesses_sum = out.share = 0;
    out.records.clear();
    words_below(t, i);
    for (std::size_t context = 0; context < w_.words.size(); ++context) {
      const u64 words = w_.words[context];
      if (words == 0) continue;  // never fetched there
      const DimensionMask last = nest_.contexts[i].last(context);
      if (options_.records) {
        residual_groups(t, nest_, i, c_.level[i], last, w_.groups);
        u64 distinct = 0;
        for (const ReceiverGroups& g : w_.groups) {
          add_record(g, words, out.records);
          distinct += g.groups;
        }
        out.accesses_sum += static_cast<double>(words * distinct);
      } else {
        out.accesses_sum += static_cast<double>(words * distinct_receivers(t, nest_, i, c_.level[i], last));
      }
      out.share += static_cast<double>(words * active_receivers(nest_, i, last));
    }
    out.share /= static_cast<double>(out.fanout);
  }

  static void add_record(const ReceiverGroups& g, u64 words, std::vector<NestRecord>& records) {
    const auto before = [](const NestRecord& a, const ReceiverGroups& b) {
      return a.multicast != b.multicast ? a.multicast < b.multicast : a.groups < b.groups;
    };
    auto at = std::lower_bound(records.begin(), records.end(), g, before);
    if (at == records.end() || at->multicast != g.multicast || at->groups != g.groups)
      at = records.insert(at, {g.multicast, g.groups, 0, 0});
    at->words += static_cast<double>(words * g.groups);
    at->hop_words += 0.5 * static_cast<double>(words) * static_cast<double>(g.half_hops);
  }

  const Compiled& c_;
  ResidualNest nest_;
  ImperfectWorkspace& w_;
  const ImperfectOptions& options_;
};

}  // namespace

void imperfect_traffic(const Compiled& compiled, const Mapping& mapping, ImperfectWorkspace& workspace,
                       NestTraffic& out, const ImperfectOptions& options) {
  Evaluator(compiled, mapping, workspace, options).run(out);
}

NestTraffic imperfect_traffic(const Workload& workload, const Architecture& architecture, const Mapping& mapping) {
  ImperfectWorkspace workspace;
  NestTraffic out;
  imperfect_traffic(Compiled(workload, architecture), mapping, workspace, out);
  return out;
}

}  // namespace heliolite
