#include "engine/sweep/rest.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <queue>
#include <utility>

#include "engine/base/file_bytes.h"
#include "engine/base/text.h"
#include "engine/sweep/best_machine.h"
#include "engine/sweep/families.h"
#include "engine/sweep/front.h"
#include "engine/sweep/question.h"
#include "engine/sweep/runner.h"
#include "engine/sweep/store.h"

namespace heliolite {
namespace {

constexpr std::string_view kPointsFile = "heliolite points 1";
constexpr std::size_t kPartBuffer = 1 << 14;  // bytes of a part that are written together

Diagnostic stopped_dealing() { return {"", 0, "", "dealing the work left was interrupted"}; }

// Gives each unit of work to the part that has least so far, and keeps the lists as files.
class Dealer {
 public:
  Dealer(std::string folder, const std::string& question, u64 parts) : folder_(std::move(folder)), parts_(parts) {
    for (u64 part = 0; part < parts; ++part) {
      text_.push_back(fmt::format("{}\nsweep {}\npart {} of {}\n", kPointsFile, question, part + 1, parts));
      least_.push({0, part});
    }
  }

  // Units must come in rising order.
  void deal(u64 unit, u64 points, double seconds) {
    const auto [so_far, part] = least_.top();
    least_.pop();
    least_.push({so_far + seconds, part});
    parts_[part].points += points;
    parts_[part].seconds += seconds;
    text_[part] += fmt::format("{}\n", unit);
    if (text_[part].size() >= kPartBuffer) write(part);
  }

  Result<SweepRest> finish() {
    std::erase_if(parts_, [](const RestPart& part) { return part.points == 0; });  // the last ones
    SweepRest out;
    for (u64 part = 0; part < parts_.size(); ++part) {
      write(part);
      out.points += parts_[part].points;
      out.seconds += parts_[part].seconds;
    }
    out.parts = std::move(parts_);
    return errors_.empty() ? Result(std::move(out)) : errors_;
  }

 private:
  void write(u64 part) {
    const std::string path = fmt::format("{}/{}.points", folder_, part + 1);
    const std::string problem = append_text(path, text_[part]);
    if (!problem.empty() && errors_.empty()) errors_.push_back({path, 0, "", "cannot be written: " + problem});
    text_[part].clear();
  }

  using Load = std::pair<double, u64>;  // seconds, part

  std::string folder_;
  std::vector<RestPart> parts_;
  std::vector<std::string> text_;  // [part]: not yet written
  std::priority_queue<Load, std::vector<Load>, std::greater<>> least_;
  Diagnostics errors_;
};

// Calls `left` for each planned point without a row, by id, until it returns false.
class PointsLeft {
 public:
  PointsLeft(const SweepSpec& spec, const DesignPoints& points)
      : points_(points), without_rows_(points.planned() > kMaxPlannedWithExclusions && !spec.constraints.empty()) {
    if (points.planned() == points.grid()) return;
    for (u64 k = 0; k < points.planned(); ++k) sample_.push_back(points.id(k));
    std::ranges::sort(sample_);
  }

  Diagnostics visit(const Store& store, const std::function<bool(u64)>& left) const {
    u64 k = 0;
    bool goes_on = true;
    const auto until = [&](u64 end) {
      for (; goes_on && k < points_.planned() && planned(k) < end; ++k)
        if (!is_excluded(planned(k))) goes_on = left(planned(k));
    };
    Diagnostics errors = store.visit_points([&](const PointRecord& row) {
      until(row.id);
      if (k < points_.planned() && planned(k) == row.id) ++k;
      return goes_on;
    });
    if (errors.empty()) until(points_.grid());
    return errors;
  }

 private:
  u64 planned(u64 k) const { return sample_.empty() ? k : sample_[k]; }
  // In large sweeps excluded points have no rows.
  bool is_excluded(u64 id) const { return without_rows_ && points_.make(id).state == PointState::Excluded; }

  const DesignPoints& points_;
  bool without_rows_;
  std::vector<u64> sample_;  // ids in order, if it is one
};

}  // namespace

WorkEstimate::WorkEstimate(const DesignPoints& points, std::size_t parameters) : points_(points) {
  for (std::size_t p = 0; p < parameters; ++p) by_value_.emplace_back(points.values_of(p));
}

void WorkEstimate::add(u64 id, double seconds) {
  const std::vector<std::size_t> chosen = points_.choice(id);
  const auto count = [&](Sum& sum) { ++sum.points, sum.seconds += seconds; };
  count(all_);
  for (std::size_t p = 0; p < chosen.size(); ++p) count(by_value_[p][chosen[p]]);
}

double WorkEstimate::seconds(u64 id) const {
  if (all_.points == 0) return kSecondsUnknown;
  const double mean = all_.seconds / all_.points;
  double out = mean;
  const std::vector<std::size_t> chosen = points_.choice(id);
  for (std::size_t p = 0; p < chosen.size() && mean > 0; ++p) {
    const Sum& own = by_value_[p][chosen[p]];
    out *= (own.seconds + kUsualPoints * mean) / ((own.points + kUsualPoints) * mean);
  }
  return std::max(out, kSecondsOfRow);
}

std::string rest_refused(const SweepSpec& spec) {
  if (searches_sets(spec)) return "goal best with strategy exact excludes sets of machines, which have no work of each";
  if (spec.goal == SweepGoal::Explore) return "goal explore chooses each point by those before it";
  if (certifies_front(spec)) return "goal front with strategy exact proves points by each other";
  return "";
}

// Step 1. What points took. Step 2. Those without a row, dealt one by one or by family.
Result<SweepRest> deal_rest(const Store& merged, const SweepSpec& spec, u64 parts, const std::string& folder,
                            const std::atomic<bool>* stop) {
  const auto is_stopped = [&] { return stop != nullptr && stop->load(); };
  const DesignPoints points(spec);
  WorkEstimate work(points, spec.parameters.size());
  Diagnostics errors = merged.visit([&](const PointRecord& point, const std::vector<LayerRecord>& layers) {
    double seconds = 0;
    for (const LayerRecord& layer : layers) seconds += layer.seconds;
    work.add(point.id, seconds);
    return !is_stopped();
  });
  if (is_stopped()) return stopped_dealing();
  if (!errors.empty()) return errors;
  const Result<RowCounts> rows = merged.rows();
  if (!rows) return rows.errors();
  const bool by_family = spec.goal == SweepGoal::Best;
  const u64 most = by_family ? points.families() : points.planned() - std::min(points.planned(), rows->points);
  Dealer dealer(folder, sweep_question(spec), std::clamp<u64>(most, 1, parts));
  std::map<u64, RestPart> families;
  errors = PointsLeft(spec, points).visit(merged, [&](u64 id) {
    const double seconds = work.seconds(id);
    RestPart* const family = by_family ? &families[points.family(id)] : nullptr;
    if (family) ++family->points, family->seconds += seconds;
    else dealer.deal(id, 1, seconds);
    return !is_stopped();
  });
  if (is_stopped()) return stopped_dealing();
  if (!errors.empty()) return errors;
  for (const auto& [family, left] : families) dealer.deal(family, left.points, left.seconds);
  return dealer.finish();
}

Result<Shard> read_points_file(const std::string& path, const std::string& question) {
  const Result<std::string> text = read_text_file(path);
  if (!text) return text.errors();
  const std::vector<std::string> lines = split(*text, '\n');
  const auto wrong = [&](std::size_t line, const std::string& what) {
    return Diagnostic{path, static_cast<int>(line + 1), "", what};
  };
  const auto said = [&](std::size_t line) { return line < lines.size() ? lines[line] : std::string(); };
  if (said(0) != kPointsFile)
    return wrong(0, fmt::format("'{}', must be '{}': a file that heliolite merge --rest wrote", shortened(said(0)),
                                kPointsFile));
  if (said(1) != "sweep " + question)
    return wrong(1, fmt::format("'{}': points of another sweep, this one's is {}", shortened(said(1)), question));
  const std::vector<std::string> words = split(said(2), ' ');
  const auto number = [](const std::string& word) { return parse_number<u64>(word).value_or(0); };
  const u64 part = words.size() == 4 ? number(words[1]) : 0, parts = words.size() == 4 ? number(words[3]) : 0;
  if (part == 0 || part > parts) return wrong(2, fmt::format("'{}', must be 'part I of N'", shortened(said(2))));
  std::vector<u64> units;
  for (std::size_t line = 3; line < lines.size(); ++line) {
    if (lines[line].empty() && line + 1 == lines.size()) break;
    const std::optional<u64> unit = parse_number<u64>(lines[line]);
    if (!unit || (!units.empty() && *unit <= units.back()))
      return wrong(line, fmt::format("'{}', must be a number above the one before", shortened(lines[line])));
    units.push_back(*unit);
  }
  return Shard{part - 1, parts, std::make_shared<const std::vector<u64>>(std::move(units))};
}

}  // namespace heliolite
