#include "engine/verify/golden_verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

#include "engine/base/text.h"
#include "engine/formats/load_architecture.h"
#include "engine/formats/load_network.h"
#include "engine/model/cost_model.h"
#include "engine/model/mapping_check.h"
#include "engine/verify/json_record.h"

namespace heliolite {
namespace {

namespace fs = std::filesystem;

class Verifier {
 public:
  Verifier(const std::string& path, const VerifyOptions& options)
      : path_(path), folder_(fs::path(path).parent_path()), options_(options) {}

  Result<VerifyReport> run() {
    const Diagnostics unreadable = for_each_line(path_, [&](const std::string& line, int number) {
      check_line(line, number);
      return errors_.size() < kMaxBadLines && !limit_reached();
    });
    if (!unreadable.empty()) return unreadable;
    if (errors_.empty() && records_ == 0) errors_.push_back({path_, 0, "", "has no records"});
    if (errors_.empty() && considered_ == 0) errors_.push_back({path_, 0, "", nothing_selected()});
    if (!errors_.empty()) return errors_;
    return std::move(report_);
  }

 private:
  bool limit_reached() const { return options_.limit && considered_ >= *options_.limit; }

  std::string nothing_selected() const {
    if (options_.id) return fmt::format("has no record with id '{}'{}", *options_.id, did_you_mean(*options_.id, ids_));
    return fmt::format("has no records of mode '{}'; modes: {}", options_.mode.value_or(""), join(modes_));
  }

  void check_line(const std::string& line, int number) {
    const Result<GoldenRecord> record = parse_golden_record(line, path_, number);
    if (!record) return complain(record.errors());
    ++records_;
    const bool other = (options_.mode && record->mode != *options_.mode) || (options_.id && record->id != *options_.id);
    if (other) return remember_names(*record);
    ++considered_;
    check_record(*record);
  }

  // For the message when nothing is selected.
  void remember_names(const GoldenRecord& record) {
    if (options_.id && ids_.size() < 100'000) ids_.push_back(record.id);
    if (std::find(modes_.begin(), modes_.end(), record.mode) == modes_.end()) modes_.push_back(record.mode);
  }

  void check_record(const GoldenRecord& record) {
    VerifyTally& mode = report_.by_mode[record.mode];
    const CostModel* model = find_model(record);
    if (model == nullptr) return;
    const Result<Mapping> mapping = golden_mapping(record, model->workload(), model->architecture());
    if (!mapping) return complain(mapping.errors());
    Mismatch mismatch{record.id, record.line, "", {}};
    Diagnostics illegal = well_formed(*mapping, model->workload(), model->architecture());
    if (illegal.empty()) {
      const Evaluation fast = model->evaluate(*mapping, record.counts);
      if (fast.verdict == Verdict::Fits) {
        compare_both_paths(record, *model, *mapping, fast.cost, mismatch);
      } else {
        illegal = fits(*mapping, model->workload(), model->architecture());
      }
    }
    mismatch.refused = to_string(illegal);
    const bool matched = illegal.empty() && mismatch.differences.empty();
    ++(matched ? mode.matched : mode.mismatched);
    ++(matched ? report_.total.matched : report_.total.mismatched);
    if (!matched && report_.mismatches.size() < options_.show) report_.mismatches.push_back(std::move(mismatch));
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
    const Architecture* architecture = find_architecture(record);
    const Workload* workload = find_workload(record);
    if (architecture != nullptr && workload != nullptr) {
      entry->second = std::make_unique<CostModel>(*workload, *architecture);
    }
    return entry->second.get();
  }

  const Architecture* find_architecture(const GoldenRecord& record) {
    const auto [entry, is_new] = architectures_.try_emplace(record.arch);
    if (is_new) {
      Result<Architecture> loaded = load_architecture(beside("arch", record.arch));
      if (loaded) {
        entry->second = std::move(*loaded);
      } else {
        complain(loaded.errors());
      }
    }
    return entry->second ? &*entry->second : nullptr;
  }

  const Workload* find_workload(const GoldenRecord& record) {
    const auto [entry, is_new] = workloads_.try_emplace(record.problem);
    if (is_new) {
      Result<Network> loaded = load_network(beside("problem", record.problem));
      if (loaded && loaded->layers.size() == 1) {
        entry->second = std::move(loaded->layers.front().workload);
      } else if (loaded) {
        complain({{beside("problem", record.problem), 0, "", "must be a single problem, not a network"}});
      } else {
        complain(loaded.errors());
      }
    }
    return entry->second ? &*entry->second : nullptr;
  }

  std::string beside(const char* sub, const std::string& name) const {
    return (folder_ / sub / (name + ".yaml")).string();
  }

  void complain(const Diagnostics& errors) { errors_.insert(errors_.end(), errors.begin(), errors.end()); }

  std::string path_;
  fs::path folder_;
  VerifyOptions options_;
  VerifyReport report_;
  Diagnostics errors_;
  u64 records_ = 0;
  u64 considered_ = 0;
  std::vector<std::string> ids_, modes_;
  std::map<std::string, std::optional<Architecture>> architectures_;
  std::map<std::string, std::optional<Workload>> workloads_;
  std::map<std::pair<std::string, std::string>, std::unique_ptr<CostModel>> models_;
};

}  // namespace

Result<VerifyReport> verify_golden(const std::string& path, const VerifyOptions& options) {
  return Verifier(path, options).run();
}

}  // namespace heliolite
