#include "cli/ui/output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <stdexcept>

#include "cli/ui/lines.h"
#include "cli/ui/long_work.h"
#include "engine/base/file_claims.h"
#include "engine/base/text.h"

namespace heliolite::cli {
namespace {

namespace fs = std::filesystem;

using Status = struct stat;

constexpr mode_t kNewFile = 0666;  // less what the umask takes
constexpr mode_t kModeBits = 07777;
constexpr int kMostNames = 1000;

std::string folder_with(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  return folder.empty() ? "." : folder.string();
}

// Whether the file is there and no regular file: it cannot be replaced, only written to.
bool is_special(const std::string& path) {
  Status status{};
  return own_descriptor(path) || (stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) ||
         followed_path(path).starts_with("/proc/");
}

}  // namespace

DescriptorBuffer::DescriptorBuffer(int descriptor) : descriptor_(descriptor) {
  setp(bytes_.data(), bytes_.data() + bytes_.size());
}

DescriptorBuffer::int_type DescriptorBuffer::overflow(int_type c) {
  if (sync() != 0) return traits_type::eof();
  if (!traits_type::eq_int_type(c, traits_type::eof())) {
    *pptr() = traits_type::to_char_type(c);
    pbump(1);
  }
  return traits_type::not_eof(c);
}

int DescriptorBuffer::sync() {
  for (const char* at = pbase(); at < pptr() && error_ == 0;) {
    const ssize_t count = ::write(descriptor_, at, static_cast<std::size_t>(pptr() - at));
    if (count >= 0) at += count;
    else if (errno != EINTR) error_ = errno;
  }
  setp(bytes_.data(), bytes_.data() + bytes_.size());
  return error_ == 0 ? 0 : -1;
}

FileWriter::FileWriter(const std::string& target) {
  if (target == "-" || is_special(target)) open_direct(target);
  else open_temporary(target);
  buffer_ = std::make_unique<DescriptorBuffer>(descriptor_);
  stream_ = std::make_unique<std::ostream>(buffer_.get());
}

void FileWriter::open_direct(const std::string& target) {
  std::fflush(stdout);  // the tables come first
  const std::optional<int> given = target == "-" ? STDOUT_FILENO : own_descriptor(target);
  constexpr int kFlags = O_WRONLY | O_CLOEXEC | O_NOCTTY;
  descriptor_ = given ? fcntl(*given, F_DUPFD_CLOEXEC, 0) : open(target.c_str(), kFlags | O_NONBLOCK);
  if (descriptor_ < 0 && errno == ENXIO) {
    fmt::print(stderr, "heliolite: waiting for somebody to read {}\n", visible(target));
    descriptor_ = open(target.c_str(), kFlags);
  }
  if (descriptor_ < 0) error_ = errno;
  else if (!given) fcntl(descriptor_, F_SETFL, 0);  // from now on wait for a slow reader
}

void FileWriter::open_temporary(const std::string& target) {
  place_ = followed_path(target);
  const std::string folder = folder_with(place_);
  for (int n = 0; n < kMostNames && descriptor_ < 0; ++n) {
    temporary_ = fmt::format("{}/.heliolite-{}-{}", folder, getpid(), n);
    descriptor_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kNewFile);
    if (descriptor_ < 0 && errno != EEXIST) break;
  }
  if (descriptor_ < 0) {
    error_ = errno;
    temporary_.clear();
    return;
  }
  removed_ = std::make_unique<RemovedOnSignal>(temporary_.c_str());
  Status old{};
  if (stat(place_.c_str(), &old) != 0) return;
  // Only root can give a file away, and some disks have no modes: no reason to lose an answer.
  if (fchown(descriptor_, old.st_uid, old.st_gid) != 0) errno = 0;
  if (fchmod(descriptor_, old.st_mode & kModeBits) != 0) errno = 0;
}

FileWriter::~FileWriter() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

std::string FileWriter::finish() {
  stream_->flush();
  if (error_ == 0) error_ = buffer_->error();
  if (error_ == EPIPE) return "";
  if (error_ != 0) return std::strerror(error_);
  return temporary_.empty() ? "" : take_place();
}

std::string FileWriter::take_place() {
  const auto why = [](const char* what) { return fmt::format("{}: {}", what, std::strerror(errno)); };
  // Some file systems of networks and programs cannot say when bytes are on a disk.
  if (fsync(descriptor_) != 0 && errno != EINVAL && errno != ENOTSUP) return why("not on the disk");
  const int done = std::exchange(descriptor_, -1);
  if (::close(done) != 0) return why("not closed");
  if (std::rename(temporary_.c_str(), place_.c_str()) != 0) return why("not put in place");
  removed_.reset();
  temporary_.clear();
  // The folder's entry: if it were lost, the old file would be found, which is whole too.
  const int folder = open(folder_with(place_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder >= 0) {
    fsync(folder);
    ::close(folder);
  }
  return "";
}

void hold_standard_streams() {
  // Opened the wrong way round, they stay as useless as closed ones.
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(stream, F_GETFD) < 0 && open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY) != stream) return;
}

namespace {

// Why a FileWriter could not write `target`, as far as that can be known before any work; empty if it could.
std::string unwritable(const std::string& target) {
  if (target == "-") return "";
  std::error_code ignored;
  if (fs::is_directory(target, ignored)) return "it is a directory";
  const std::string place = followed_path(target), folder = folder_with(place);
  const bool there = access(place.c_str(), F_OK) == 0;
  if (there && access(place.c_str(), W_OK) != 0) return std::strerror(errno);
  if (is_special(target)) return "";
  if (!there && errno != ENOENT && errno != ENOTDIR) return std::strerror(errno);
  if (!fs::is_directory(folder, ignored)) return fmt::format("there is no folder {}", folder);
  if (access(folder.c_str(), W_OK) != 0)
    return fmt::format("folder {}: {}{}", folder, std::strerror(errno),
                       there ? " (files are written beside their place)" : "");
  return "";
}

constexpr std::size_t kMaxComplaints = 50;

// False after complaining.
bool write_parts(const std::string& option, const std::string& target,
                 const std::function<Diagnostics(std::ostream&)>& parts) {
  FileWriter file(target);
  if (const Diagnostics errors = parts(file.stream()); !errors.empty()) {
    fail(errors);
    return false;
  }
  const std::string why = file.finish();
  if (why.empty()) return true;
  const std::string prefix = option.empty() ? "" : option + ": ";
  fail(fmt::format("{}{} cannot be written: {}", prefix, target == "-" ? "standard output" : target, why));
  return false;
}

auto whole(const std::string& text) {
  return [&text](std::ostream& out) {
    out << text;
    return Diagnostics{};
  };
}

}  // namespace

void Output::add_target(std::string option, const std::string& target) {
  const bool known = std::ranges::any_of(targets_, [&](const auto& t) { return t.second == &target; });
  if (!known) targets_.emplace_back(std::move(option), &target);
}

bool Output::claim_targets() const {
  FileClaims& claims = FileClaims::of_program();
  if (const Diagnostics errors = claims.claim_standard_streams(); !errors.empty()) {
    fail(errors);
    return false;
  }
  return std::ranges::all_of(targets_, [&](const auto& t) { return t.second->empty() || claim(t.first, *t.second); });
}

bool Output::claim(const std::string& option, const std::string& target) const {
  Diagnostics errors = FileClaims::of_program().claim(option, target);
  if (errors.empty())
    if (const std::string why = unwritable(target); !why.empty())
      errors.push_back({"", 0, option, fmt::format("{} cannot be written: {}", target, why)});
  if (!errors.empty()) fail(errors);
  return errors.empty();
}

void Output::table(const std::string& text) const {
  if (!FileClaims::of_program().takes_stdout() && !write_parts("", "-", whole(fitted(for_stdout(text))))) lost_ = true;
}

void Output::note(const std::string& text) const {
  if (!quiet) std::fputs((visible(text, "\n") + "\n").c_str(), stderr);
}

void Output::report_notes(const std::vector<std::string>& notes) const {
  if (!reported_notes_) reported_notes_.emplace();
  for (const std::string& text : notes) {
    note("heliolite: note: " + text);
    if (std::ranges::find(*reported_notes_, text) == reported_notes_->end()) reported_notes_->push_back(text);
  }
}

bool Output::json(const nlohmann::ordered_json& answer) const {
  if (json_target.empty()) return true;
  nlohmann::ordered_json complete = answer;
  if (reported_notes_ && complete.is_object() && !complete.contains("notes")) complete["notes"] = *reported_notes_;
  // Names from files may hold broken UTF-8; they are shown with replacement characters.
  return write("--json", complete.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
}

bool Output::write(const std::string& option, const std::string& text) const { return write(option, whole(text)); }

bool Output::write(const std::string& option, const std::function<Diagnostics(std::ostream&)>& parts) const {
  const std::optional<std::string> target = FileClaims::of_program().target(option);
  if (!target) {
    const bool known = std::ranges::any_of(targets_, [&](const auto& t) { return t.first == option; });
    if (!known) throw std::logic_error(option + " was not claimed before it is written");
    return true;
  }
  if (const Diagnostics errors = FileClaims::of_program().recheck(option); !errors.empty()) {
    fail(errors);
    return false;
  }
  return write_parts(option, *target, parts);
}

bool Output::document(const std::string& target, const std::string& text) const {
  if (!target.empty()) return write("-o", text);
  return json_to_stdout() || (claim("-o", "-") && write("-o", text));
}

int fail(const Diagnostics& errors) {
  std::string text;
  for (std::size_t i = 0; i < errors.size() && i < kMaxComplaints; ++i)
    text += painted_complaint("heliolite:", Tone::Bad) + " " + errors[i].to_string() + "\n";
  if (errors.size() > kMaxComplaints) text += fmt::format("heliolite: and {} more\n", errors.size() - kMaxComplaints);
  std::fwrite(text.data(), 1, text.size(), stderr);
  return kBadInput;
}

int fail(const std::string& message) { return fail(Diagnostics{{"", 0, "", message}}); }

}  // namespace heliolite::cli
