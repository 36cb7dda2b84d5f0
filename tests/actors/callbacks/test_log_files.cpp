#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <iostream>
#include <limits>
#include <sstream>

#include "actors/callbacks/callback_list.hpp"
#include "actors/callbacks/event_file.hpp"
#include "actors/callbacks/event_records.hpp"
#include "models/files.hpp"
#include "runtime/file_descriptor.hpp"
#include "support/errors.hpp"
#include "support/text.hpp"

using namespace troupe;
using namespace troupe_test;
using troupe::testing::read_file;
using troupe::testing::TemporaryFolder;
using troupe::testing::write_file;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// Runs one run with one callback, and one report for each element of `metrics`.
void tell_run(const std::shared_ptr<Callback>& callback, const std::vector<Json>& metrics, const RunStart& start = {}) {
  CallbackList list({callback});
  list.start(start);
  std::int64_t iteration = 0;
  for (const Json& each : metrics) list.report({++iteration, 0.5 * static_cast<double>(iteration), each});
  list.end({1, iteration, false});
}

/// Captures everything that is written to std::cout during the lifetime of this object.
class CapturedOutput {
 public:
  CapturedOutput() : before_(std::cout.rdbuf(text_.rdbuf())) {}
  ~CapturedOutput() { std::cout.rdbuf(before_); }
  std::string text() const { return text_.str(); }

 private:
  std::ostringstream text_;
  std::streambuf* before_;
};

/// Limits the size of files during the lifetime of this object. A write beyond the limit fails with an error instead of
/// a signal.
class LongestFile {
 public:
  explicit LongestFile(std::uintmax_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    REQUIRE(::getrlimit(RLIMIT_FSIZE, &before_) == 0);
    const rlimit limit{bytes, before_.rlim_max};
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &limit) == 0);
  }
  ~LongestFile() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  void (*handler_)(int);
  rlimit before_{};
};

/// Redirects standard output to a file during the lifetime of this object.
class OutputInto {
 public:
  explicit OutputInto(const std::string& path) : before_(::dup(STDOUT_FILENO)) {
    const FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600));
    ::dup2(file.get(), STDOUT_FILENO);
  }
  ~OutputInto() {
    ::dup2(before_, STDOUT_FILENO);
    ::close(before_);
  }

 private:
  int before_;
};

}  // namespace

TEST_CASE("a CSV file has one row per report, quotes texts where necessary, and stores numbers exactly") {
  const TemporaryFolder folder;
  tell_run(callbacks::csv(folder / "log.csv"),
           {{{"loss", 0.1}, {"n", 3}, {"a \"b\", c", "x\ny"}, {"list", {1, 2}}},
            {{"loss", kNan}, {"n", nullptr}, {"list", true}},
            {{"loss", -std::numeric_limits<double>::infinity()}, {"a \"b\", c", "say \"no\""}}});
  CHECK(read_file(folder / "log.csv") ==
        "iteration,seconds,\"a \"\"b\"\", c\",list,loss,n\n"
        "1,0.5,\"x\ny\",\"[1,2]\",0.1,3\n"
        "2,1.0,,true,nan,\n"
        "3,1.5,\"say \"\"no\"\"\",,-inf,\n");
}

TEST_CASE("a new metric adds a column to the CSV file, also for earlier rows") {
  const TemporaryFolder folder;
  tell_run(callbacks::csv(folder / "log.csv"), {{{"b", "1\n2"}}, {{"a", 2}, {"c", "\n"}}, {{"b", 3}}});
  CHECK(read_file(folder / "log.csv") ==
        "iteration,seconds,b,a,c\n"
        "1,0.5,\"1\n2\",,\n"
        "2,1.0,,2,\"\n\"\n"
        "3,1.5,3,,\n");
}

TEST_CASE("a resumed run appends to its CSV file after the last complete row, and a new run starts the file again") {
  const TemporaryFolder folder;
  const std::string path = folder / "log.csv";
  tell_run(callbacks::csv(path), {{{"a,\"", 1}, {"b", 1}}});
  write_file(path, read_file(path) + "2,0.9");
  tell_run(callbacks::csv(path), {{{"b", 2}}, {{"c", 3}}}, {.resumed = true});
  CHECK(read_file(path) == "iteration,seconds,\"a,\"\"\",b,c\n1,0.5,1,1,\n1,0.5,,2,\n2,1.0,,,3\n");
  tell_run(callbacks::csv(path), {{{"b", 2}}});
  CHECK(read_file(path) == "iteration,seconds,b\n1,0.5,2\n");
  write_file(path, "name,place\nsome,where\n");
  CHECK(where_of([&] { tell_run(callbacks::csv(path), {}, {.resumed = true}); }).object == path);
  CHECK(read_file(path) == "name,place\nsome,where\n");
}

TEST_CASE("attempts of a run share its files") {
  const TemporaryFolder folder;
  CallbackList list({callbacks::csv(folder / "log.csv"), callbacks::json_lines(folder / "log.jsonl"),
                     callbacks::tensorboard(folder / "events")});
  for (const int attempt : {1, 2}) {
    list.start({.attempt = attempt});
    list.report({attempt, 0.5, {{"loss", attempt}}});
  }
  CHECK(read_file(folder / "log.csv") == "iteration,seconds,loss\n1,0.5,1\n2,0.5,2\n");
  CHECK(count(read_file(folder / "log.jsonl"), "\n") == 4);
  CHECK(events_in(folder / "events").size() == 3);
}

TEST_CASE("JSON lines record all events") {
  const TemporaryFolder folder;
  const std::string path = folder / "log.jsonl";
  CallbackList list({callbacks::json_lines(path)});
  list.start({.name = "train", .world_size = 3, .config = {{"lr", 0.1}}});
  list.report({1, 0.5, {{"loss", kNan}, {"text", "a\xff\n"}}});
  list.checkpoint({1, "run/checkpoint-000001", 5});
  list.failure_passed(Error(ErrorCode::worker_lost, "gone", {.worker = 1}));
  list.failure(Error(ErrorCode::timeout, "late"));
  list.end({2, 7, true});
  const std::string text = read_file(path);
  CHECK(text.starts_with("{\"event\":\"start\","));
  CHECK(contains(text, "\"text\":\"a\xef\xbf\xbd\\n\""));  // bytes that are not UTF-8 become U+FFFD
  const std::vector<Json> expected{
      {{"event", "start"},
       {"name", "train"},
       {"world_size", 3},
       {"config", {{"lr", 0.1}}},
       {"attempt", 1},
       {"resumed", false}},
      {{"event", "report"},
       {"iteration", 1},
       {"seconds", 0.5},
       {"metrics", {{"loss", nullptr}, {"text", "a\xef\xbf\xbd\n"}}}},
      {{"event", "checkpoint"}, {"number", 1}, {"path", "run/checkpoint-000001"}, {"iteration", 5}},
      {{"event", "failure"}, {"code", "worker_lost"}, {"error", "gone (worker 1)"}, {"goes_on", true}},
      {{"event", "failure"}, {"code", "timeout"}, {"error", "late"}, {"goes_on", false}},
      {{"event", "end"}, {"seconds", 2.0}, {"iterations", 7}, {"failed", true}}};
  std::istringstream lines(text);
  std::string line;
  for (const Json& each : expected) {
    REQUIRE(std::getline(lines, line));
    CHECK(Json::parse(line) == each);
  }
  CHECK_FALSE(std::getline(lines, line));
}

TEST_CASE("event files for TensorBoard contain each number of each report, in records with CRCs") {
  CHECK(crc32c("123456789") == 0xe3069283);  // RFC 3720, appendix B.4, and others
  CHECK(crc32c(std::string(32, '\0')) == 0x8a9136aa);
  const TemporaryFolder folder;
  const std::string events = folder / "a/events";
  const std::string long_name(200, 'x');
  tell_run(callbacks::tensorboard(events), {{{"loss", 0.25}, {"n", 3}, {"text", "none"}, {"list", {1}}},
                                            {{"text", "none"}},
                                            {{"loss", kNan}, {long_name, -1}, {"\xff", 1}}});
  const auto all = events_in(events);
  REQUIRE(all.size() == 3);
  CHECK(all[0].version == "brain.Event:2");
  CHECK(all[0].scalars.empty());
  CHECK(all[1].step == 1);
  CHECK(all[1].wall_time > 1.6e9);
  CHECK(all[1].scalars == std::map<std::string, float>{{"loss", 0.25F}, {"n", 3.0F}});
  CHECK(all[2].step == 3);
  CHECK(std::isnan(all[2].scalars.at("loss")));
  CHECK(all[2].scalars.at(long_name) == -1);
  CHECK(all[2].scalars.at("?") == 1);
  tell_run(callbacks::tensorboard(events), {{{"loss", 1}}});
  CHECK(events_in(events).size() == 5);  // a new file, even within the same second
}

TEST_CASE("an event is in its file when the report returns") {
  const TemporaryFolder folder;
  CallbackList list({callbacks::tensorboard(folder / "events"), callbacks::csv(folder / "log.csv")});
  list.start({});
  list.report({std::int64_t{1} << 40, 0.5, {{"loss", 1}}});
  REQUIRE(events_in(folder / "events").size() == 2);
  CHECK(events_in(folder / "events")[1].step == std::int64_t{1} << 40);
  CHECK(contains(read_file(folder / "log.csv"), "1099511627776,0.5,1\n"));
}

TEST_CASE("an error about a file that cannot be written names the file") {
  const TemporaryFolder folder;
  write_file(folder / "file", "");
  const std::string below = folder / "file/below";
  for (const auto& make : {callbacks::csv, callbacks::json_lines, callbacks::tensorboard}) {
    const auto begin = [&] { CallbackList({make(below)}).start({}); };
    CHECK(code_of(begin) == ErrorCode::bad_file);
    CHECK(where_of(begin).object == below);
  }
  for (const auto& make : {callbacks::csv, callbacks::json_lines}) {
    const auto run = [&] { tell_run(make("/dev/full"), {{{"loss", 1}}}); };
    CHECK(code_of(run) == ErrorCode::bad_file);
    CHECK(where_of(run).object == "/dev/full");
    CHECK(contains(message_of(run), "No space left on device"));
  }
}

TEST_CASE("progress shows reports at intervals of a tenth of a second, the last report, and the end") {
  std::string said;
  {
    const CapturedOutput output;
    CallbackList list({callbacks::progress()});
    list.start({});
    list.report({1, 0.01, {{"loss", 0.123456789}, {"name", "a\nb"}}});
    list.report({2, 0.05, {{"loss", 2}}});
    list.report({3, 0.12, {{"loss", 3}}});
    list.report({4, 0.13, {}});
    list.end({0.13, 4, false});
    said = output.text();
  }
  CHECK(said == "iteration 1: loss 0.123457, name a b\niteration 3: loss 3\niteration 4\nended after 4 iterations\n");
}

TEST_CASE("callbacks can be created from a text, and the error for an unknown name lists the known names") {
  const TemporaryFolder folder;
  const std::string csv = folder / "a.csv";
  const Callbacks all =
      callbacks::from_text("csv:" + csv + ",json:" + (folder / "b") + ",progress,tensorboard:" + (folder / "c"));
  CHECK(all.size() == 4);
  CallbackList({all[0]}).start({});
  CHECK(std::filesystem::exists(csv));
  for (const char* bad : {"", "csv", "csv:", "csvs:x", "progress,", "progress:x", "csv:a,,json:b", "csv:a,b"}) {
    CAPTURE(bad);
    const auto make = [&] { callbacks::from_text(bad); };
    CHECK(code_of(make) == ErrorCode::invalid_argument);
    CHECK(contains(message_of(make), "csv:FILE, json:FILE, tensorboard:FOLDER or progress"));
  }
  CHECK(code_of([] { CallbackList({nullptr}); }) == ErrorCode::invalid_argument);
}

TEST_CASE("a resumed run refuses a file that is not such a log, and does not change the file") {
  const TemporaryFolder folder;
  const std::string path = folder / "precious";
  for (const auto& make : {callbacks::csv, callbacks::json_lines})
    for (const std::string text :
         {"one line without an end", "{\"a\": 1}\nand half a line", "name,place\nsome,wh", "iteration,loss\n1", "\n"}) {
      CAPTURE(text);
      write_file(path, text);
      CHECK(where_of([&] { tell_run(make(path), {{{"loss", 1}}}, {.resumed = true}); }).object == path);
      CHECK(read_file(path) == text);
    }
  write_file(path, "");
  tell_run(callbacks::csv(path), {{{"loss", 1}}}, {.resumed = true});
  CHECK(read_file(path) == "iteration,seconds,loss\n1,0.5,1\n");
}

TEST_CASE("a log is cut after its last complete record, also if the incomplete record contains line breaks") {
  const TemporaryFolder folder;
  const std::string path = folder / "log";
  tell_run(callbacks::csv(path), {{{"a", "x\ny"}}});
  const std::string rows = read_file(path);
  write_file(path, rows + "2,0.9,\"half\nof a text");
  tell_run(callbacks::csv(path), {}, {.resumed = true});
  CHECK(read_file(path) == rows);
  tell_run(callbacks::json_lines(path), {});
  const std::string lines = read_file(path);
  write_file(path, lines + "{\"event\": \"rep");
  tell_run(callbacks::json_lines(path), {}, {.resumed = true});
  CHECK(read_file(path).starts_with(lines + "{\"event\":\"start\""));
}

TEST_CASE("adding a column preserves symbolic links and file permissions") {
  const TemporaryFolder folder;
  const std::string real = folder / "real.csv";
  write_file(real, "");
  std::filesystem::permissions(real, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  std::filesystem::create_symlink("real.csv", folder / "log.csv");
  tell_run(callbacks::csv(folder / "log.csv"), {{{"a", 1}}, {{"b", 2}}});
  CHECK(std::filesystem::is_symlink(folder / "log.csv"));
  CHECK(read_file(real) == "iteration,seconds,a,b\n1,0.5,1,\n2,1.0,,2\n");
  CHECK(std::filesystem::status(real).permissions() ==
        (std::filesystem::perms::owner_read | std::filesystem::perms::owner_write));
}

TEST_CASE("a log on standard output or in a renamed file is only appended to") {
  const TemporaryFolder folder;
  const std::string out = folder / "out";
  write_file(out, "before\n");
  // A link like /dev/stdout. A rename would replace the link.
  std::filesystem::create_symlink("/proc/self/fd/1", folder / "stdout");
  struct stat before {
  }, after{};
  REQUIRE(::stat(out.c_str(), &before) == 0);
  {
    const OutputInto into(out);
    tell_run(callbacks::csv(folder / "stdout"), {{{"a", 1}}, {{"b", 2}}});
  }
  REQUIRE(::stat(out.c_str(), &after) == 0);
  CHECK(after.st_ino == before.st_ino);
  CHECK(read_file(out) == "before\niteration,seconds,a\n1,0.5,1\n2,1.0,\n");

  CallbackList list({callbacks::csv(folder / "log.csv")});
  list.start({});
  list.report({1, 0.5, {{"a", 1}}});
  std::filesystem::rename(folder / "log.csv", folder / "old.csv");
  write_file(folder / "log.csv", "another");
  list.report({2, 1.0, {{"b", 2}}});
  CHECK(read_file(folder / "log.csv") == "another");
  CHECK(read_file(folder / "old.csv") == "iteration,seconds,a\n1,0.5,1\n2,1.0,\n");
}

TEST_CASE("a record that does not fit into its file is removed completely") {
  const TemporaryFolder folder;
  CallbackList csv({callbacks::csv(folder / "log.csv")});
  CallbackList json({callbacks::json_lines(folder / "log.jsonl")});
  CallbackList events({callbacks::tensorboard(folder / "events")});
  for (CallbackList* each : {&csv, &json, &events}) {
    each->start({});
    each->report({1, 0.5, {{"loss", 1}}});
  }
  const std::string event_file = std::filesystem::directory_iterator(folder / "events")->path();
  const std::pair<CallbackList*, std::string> logs[] = {
      {&csv, folder / "log.csv"}, {&json, folder / "log.jsonl"}, {&events, event_file}};
  for (const auto& [list, path] : logs) {
    const std::string before = read_file(path);
    std::optional<ErrorCode> code;
    {
      const LongestFile limit(before.size() + 3);
      code = code_of([&, told = list] { told->report({2, 1.0, {{"loss", 2}}}); });
    }
    CHECK(code == ErrorCode::bad_file);
    CHECK(read_file(path) == before);
    list->report({3, 1.5, {{"loss", 3}}});
    CHECK(read_file(path).starts_with(before));
  }
  CHECK(read_file(folder / "log.csv") == "iteration,seconds,loss\n1,0.5,1\n3,1.5,3\n");
  CHECK(events_in(folder / "events").size() == 3);
}

TEST_CASE("a pipe without a reader is an error that names the pipe, and does not end the process") {
  const TemporaryFolder folder;
  const std::string path = folder / "pipe";
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  FileDescriptor reader(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  CallbackList list({callbacks::csv(path)});
  list.start({});
  list.report({1, 0.5, {{"loss", 1}}});
  reader.reset();
  CHECK(where_of([&] { list.report({2, 1.0, {{"loss", 2}}}); }).object == path);
  sigset_t pending;
  REQUIRE(::sigpending(&pending) == 0);
  CHECK(::sigismember(&pending, SIGPIPE) == 0);
}

TEST_CASE("metrics with the names of built-in columns get columns of their own") {
  const TemporaryFolder folder;
  const std::string path = folder / "log.csv";
  for (const bool resumed : {false, true})
    tell_run(callbacks::csv(path), {{{"iteration", 7}, {"seconds", 8}}}, {.resumed = resumed});
  CHECK(read_file(path) == "iteration,seconds,metric_iteration,metric_seconds\n1,0.5,7,8\n1,0.5,7,8\n");
}

TEST_CASE("a callback that writes a file refuses a report before the start") {
  const TemporaryFolder folder;
  for (const auto& make : {callbacks::csv, callbacks::json_lines, callbacks::tensorboard})
    CHECK(code_of([&] {
            CallbackList({make(folder / "log")}).report({1, 0.5, {{"loss", 1}}});
          }) == ErrorCode::invalid_argument);
}
