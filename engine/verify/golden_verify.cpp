#include "engine/verify/golden_verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "engine/base/text.h"
#include "engine/model/cost_model.h"
#include "engine/model/mapping_check.h"
#include "engine/verify/json_record.h"

namespace heliolite {
namespace {

using nlohmann::json;

constexpr double kEnergyTolerance = 1e-6;   // relative
constexpr double kNetworkTolerance = 1e-9;  // relative
constexpr double kAbsent = std::numeric_limits<double>::quiet_NaN();

using Numbers = std::map<std::string, double>;

// `counts`: how the record counts. True counts are of all instances, followed by those of the busiest one.
Numbers numbers(const TensorTraffic& t, Counts counts) {
  if (!t.kept) return {};
  if (counts == Counts::True)
    return {{"tile", static_cast<double>(t.tile_words)},     {"instances", static_cast<double>(t.instances)},
            {"reads", static_cast<double>(t.all.reads)},     {"fills", static_cast<double>(t.all.fills)},
            {"updates", static_cast<double>(t.all.updates)}, {"energy_pJ", t.energy.picojoules()},
            {"busiest 0", static_cast<double>(t.reads)},     {"busiest 1", static_cast<double>(t.fills)},
            {"busiest 2", static_cast<double>(t.updates)}};
  return {{"tile", static_cast<double>(t.tile_words)}, {"instances", static_cast<double>(t.instances)},
          {"reads", static_cast<double>(t.reads)},     {"fills", static_cast<double>(t.fills)},
          {"updates", static_cast<double>(t.updates)}, {"energy_pJ", t.energy.picojoules()}};
}

Numbers numbers(const NetworkTraffic& n, Counts counts) {
  return {{"fanout", static_cast<double>(n.fanout)},
          {"ingresses", counts == Counts::True ? n.all_ingresses : n.ingresses},
          {kPeerChannel.field, n.peer_words},
          {fmt::format("{}_pJ", kPeerChannel.energy), n.peer_energy.picojoules()},
          {"spatial_reductions", static_cast<double>(n.spatial_reductions)},
          {"hops", n.hops},
          {"energy_pJ", n.energy.picojoules() - n.peer_energy.picojoules()}};
}

Numbers numbers(const ComputeBreakdown& c) {
  return {{"computes", static_cast<double>(c.computes)},
          {"utilized", static_cast<double>(c.utilized)},
          {"energy_pJ", c.energy.picojoules()},
          {"cycles", static_cast<double>(c.cycles)}};
}

double value(const Numbers& numbers, const std::string& key) {
  const auto it = numbers.find(key);
  return it == numbers.end() ? kAbsent : it->second;
}

class Comparison {
 public:
  Comparison(const Breakdown& ours, const Workload& workload, Counts counts)
      : ours_(ours), workload_(workload), counts_(counts) {}

  std::vector<Difference> run(const json& expect) {
    for (const auto& level : expect["levels"].items()) compare_level(level.key(), level.value());
    for (const auto& network : expect["networks"].items()) compare_network(network.key(), network.value());
    if (expect.contains("mac")) {
      const Numbers have = numbers(ours_.compute);
      for (const auto& item : expect["mac"].items())
        check("mac " + item.key(), item.value().get<double>(), value(have, item.key()), energy_only(item.key()));
    }
    const double energy = expect["energy_pJ"].get<double>();
    check("cycles", expect["cycles"].get<double>(), static_cast<double>(ours_.cycles), 0);
    check("energy_pJ", energy, ours_.energy.picojoules(), kEnergyTolerance + 1.01 * loose_ / energy);
    return std::move(differences_);
  }

 private:
  static double energy_only(const std::string& key) { return key.ends_with("_pJ") ? kEnergyTolerance : 0; }

  void check(std::string where, double expected, double ours, double tolerance) {
    const double scale = std::max({1.0, std::abs(expected), std::abs(ours)});
    if (std::abs(expected - ours) <= tolerance * scale) return;  // false for what we do not have
    differences_.push_back({std::move(where), expected, ours});
  }

  void compare_level(const std::string& name, const json& expected) {
    const auto level =
        std::find_if(ours_.level.begin(), ours_.level.end(), [&](const auto& l) { return l.name == name; });
    if (level == ours_.level.end()) {  // some records list the compute units as a level
      const double cycles = expected.contains("cycles") ? expected["cycles"].get<double>() : 0;
      return check(name + " cycles", cycles, static_cast<double>(ours_.compute.cycles), 0);
    }
    for (const auto& item : expected.items()) {
      if (item.value().is_object()) {
        compare_tensor(name + " " + item.key(), item.value(), *level, workload_.find_tensor(item.key()));
        continue;
      }
      const double ours = item.key() == "cycles"       ? static_cast<double>(level->cycles)
                          : item.key() == "leakage_pJ" ? level->leakage.picojoules()
                                                       : kAbsent;
      check(name + " " + item.key(), item.value().get<double>(), ours, energy_only(item.key()));
    }
  }

  void compare_tensor(const std::string& where, const json& expected, const LevelBreakdown& level,
                      std::optional<int> tensor) {
    const Numbers have = tensor ? numbers(level.tensor[*tensor], counts_) : Numbers{};
    const bool output = tensor && workload_.tensors[*tensor].is_output();
    const double fills = expected.value("fills", kAbsent);
    const bool off_by_one = counts_ == Counts::Timeloop && !output && std::abs(fills - value(have, "fills")) == 1;
    if (off_by_one) loose_ += std::abs(expected.value("energy_pJ", 0.0) - value(have, "energy_pJ"));
    for (const auto& item : expected.items()) {
      if (off_by_one && (item.key() == "fills" || item.key() == "energy_pJ")) continue;
      if (item.value().is_array()) {
        for (std::size_t k = 0; k < item.value().size(); ++k) {
          const std::string part = fmt::format("{} {}", item.key(), k);
          check(fmt::format("{} {}", where, part), item.value()[k].get<double>(), value(have, part), 0);
        }
        continue;
      }
      check(where + " " + item.key(), item.value().get<double>(), value(have, item.key()), energy_only(item.key()));
    }
  }

  // "OUTER <==> INNER", INNER being the compute units for the innermost level.
  const LevelBreakdown* level_above(const std::string& network) const {
    for (std::size_t i = 0; i < ours_.level.size(); ++i) {
      const std::string& inner = i == 0 ? ours_.compute.name : ours_.level[i - 1].name;
      if (network == ours_.level[i].name + " <==> " + inner) return &ours_.level[i];
    }
    return nullptr;
  }

  void compare_network(const std::string& name, const json& expected) {
    const LevelBreakdown* level = level_above(name);
    for (const auto& item : expected.items()) {
      const auto v = workload_.find_tensor(item.key());
      const NetworkTraffic* traffic = level != nullptr && v ? &level->network[*v] : nullptr;
      const Numbers have = traffic != nullptr ? numbers(*traffic, counts_) : Numbers{};
      for (const auto& field : item.value().items()) {
        const std::string where = fmt::format("{} {} {}", name, item.key(), field.key());
        if (field.value().is_array()) {
          compare_multicast(where, field.value(), traffic);
          continue;
        }
        const bool words = field.key() == "ingresses" || field.key() == "hops" || field.key() == kPeerChannel.field;
        check(where, field.value().get<double>(), value(have, field.key()),
              words ? kNetworkTolerance : energy_only(field.key()));
      }
    }
  }

  void compare_multicast(const std::string& where, const json& expected, const NetworkTraffic* traffic) {
    std::vector<std::array<double, 3>> want, have;
    for (const json& record : expected) want.push_back({record[0], record[1], record[2]});
    if (traffic != nullptr)
      for (const MulticastRecord& m : traffic->multicast)
        have.push_back({static_cast<double>(m.multicast), static_cast<double>(m.groups), m.words});
    if (want.size() != have.size())
      return check(where + " records", static_cast<double>(want.size()), static_cast<double>(have.size()), 0);
    std::sort(want.begin(), want.end());
    std::sort(have.begin(), have.end());
    for (std::size_t i = 0; i < want.size(); ++i) {
      check(fmt::format("{}[{}] receivers", where, i), want[i][0], have[i][0], 0);
      check(fmt::format("{}[{}] groups", where, i), want[i][1], have[i][1], 0);
      check(fmt::format("{}[{}] words", where, i), want[i][2], have[i][2], kNetworkTolerance);
    }
  }

  const Breakdown& ours_;
  const Workload& workload_;
  Counts counts_;
  std::vector<Difference> differences_;
  double loose_ = 0;  // pJ left open by fills off by one
};

}  // namespace

std::vector<Difference> compare(const GoldenRecord& record, const Breakdown& ours, const Workload& workload) {
  return Comparison(ours, workload, record.counts).run(record.expect);
}

namespace {

class Verifier {
 public:
  Verifier(const std::string& path, const RecordSelection& selection)
      : file_(path, "arch", "problem", "a single problem"), selection_(selection) {}

  Result<VerifyReport> run() {
    file_.read([&](const std::string& line, int number) {
      check_line(line, number);
      return !limit_reached();
    });
    if (!file_.has_errors() && considered_ == 0) file_.refuse(nothing_selected());
    if (file_.has_errors()) return file_.errors();
    return std::move(report_);
  }

 private:
  bool limit_reached() const { return selection_.limit && considered_ >= *selection_.limit; }

  std::string nothing_selected() const {
    if (selection_.id)
      return fmt::format("has no record with id '{}'{}", *selection_.id, did_you_mean(*selection_.id, ids_));
    return fmt::format("has no records of mode '{}'; modes: {}", selection_.group.value_or(""), join(modes_));
  }

  void check_line(const std::string& line, int number) {
    const Result<GoldenRecord> record = parse_golden_record(line, file_.path(), number);
    if (!record) return file_.complain(record.errors());
    const bool other =
        (selection_.group && record->mode != *selection_.group) || (selection_.id && record->id != *selection_.id);
    if (other) return remember_names(*record);
    ++considered_;
    check_record(*record);
  }

  // For the message when nothing is selected.
  void remember_names(const GoldenRecord& record) {
    if (selection_.id && ids_.size() < 100'000) ids_.push_back(record.id);
    if (std::find(modes_.begin(), modes_.end(), record.mode) == modes_.end()) modes_.push_back(record.mode);
  }

  void check_record(const GoldenRecord& record) {
    VerifyTally& mode = report_.by_mode[record.mode];
    const CostModel* model = find_model(record);
    if (model == nullptr) return;
    const Result<Mapping> mapping = golden_mapping(record, model->workload(), model->architecture());
    if (!mapping) return file_.complain(mapping.errors());
    Mismatch mismatch{record.id, record.line, "", {}};
    Diagnostics illegal = well_formed(*mapping, model->workload(), model->architecture());
    if (illegal.empty()) {
      const Evaluation fast = model->evaluate(*mapping, record.counts);
      if (fast.verdict == Verdict::Fits) compare_both_paths(record, *model, *mapping, fast.cost, mismatch);
      else illegal = fits(*mapping, model->workload(), model->architecture());
    }
    mismatch.refused = to_string(illegal);
    const bool matched = illegal.empty() && mismatch.differences.empty();
    ++(matched ? mode.matched : mode.mismatched);
    ++(matched ? report_.total.matched : report_.total.mismatched);
    if (!matched && report_.mismatches.size() < selection_.show) report_.mismatches.push_back(std::move(mismatch));
  }

  // explain() against the record, and evaluate() against explain().
  static void compare_both_paths(const GoldenRecord& record, const CostModel& model, const Mapping& mapping,
                                 const Cost& fast, Mismatch& mismatch) {
    const Breakdown ours = model.explain(mapping, record.counts);
    mismatch.differences = compare(record, ours, model.workload());
    if (fast.energy == ours.energy && fast.cycles == ours.cycles) return;
    mismatch.differences.push_back(
        {"explain() against evaluate(): energy_pJ", fast.energy.picojoules(), ours.energy.picojoules()});
    mismatch.differences.push_back(
        {"explain() against evaluate(): cycles", static_cast<double>(fast.cycles), static_cast<double>(ours.cycles)});
  }

  // The compiled pair of machine and problem; null (after complaining once) when one of them cannot be read.
  const CostModel* find_model(const GoldenRecord& record) {
    const auto [entry, is_new] = models_.try_emplace({record.arch, record.problem});
    if (!is_new) return entry->second.get();
    const Architecture* architecture = file_.machine(record.arch);
    const Workload* workload = file_.workload(record.problem);
    if (architecture != nullptr && workload != nullptr)
      entry->second = std::make_unique<CostModel>(*workload, *architecture);
    return entry->second.get();
  }

  RecordFile file_;
  RecordSelection selection_;
  VerifyReport report_;
  u64 considered_ = 0;
  std::vector<std::string> ids_, modes_;
  std::map<std::pair<std::string, std::string>, std::unique_ptr<CostModel>> models_;
};

}  // namespace

Result<VerifyReport> verify_golden(const std::string& path, const RecordSelection& selection) {
  return Verifier(path, selection).run();
}

}  // namespace heliolite
