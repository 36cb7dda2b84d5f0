#include <doctest/doctest.h>
#include <signal.h>

#include <filesystem>
#include <limits>

#include "cli/refused.hpp"
#include "cli/run_program.hpp"
#include "cli/small_data.hpp"
#include "cli/train/command_line.hpp"
#include "cli/train/options/checkpoint_flags.hpp"

using namespace troupe_test;
using troupe::testing::flip_last_byte;
using troupe::testing::read_file;
using troupe::testing::TemporaryFolder;
using troupe::testing::write_file;

namespace fs = std::filesystem;

namespace {

/// Trains with 4 shards.
std::vector<std::string> train(const std::vector<std::string>& more) {
  return joined({"train", "--model", "linear", "--data", "synthetic-linear", "--batch-size", "50", "--learning-rate",
                 "0.01", "--momentum", "0.9", "--quiet", "--shards", "4"},
                more);
}

Finished run(const std::vector<std::string>& arguments) {
  Finished finished = run_program(arguments);
  CHECK_MESSAGE(finished.status == 0, finished.err);
  return finished;
}

std::string name_of(int step) { return "step-0000000" + std::to_string(step); }

/// Creates checkpoints of the steps 2, 4 and 5 in a folder.
void make_run(const std::string& folder) {
  run(train({"--steps", "2", "--checkpoint", folder, "--checkpoint-every", "1000"}));
  run(train({"--steps", "4", "--checkpoint", folder, "--checkpoint-every", "1000", "--resume"}));
  run(train({"--steps", "5", "--checkpoint", folder, "--checkpoint-every", "1000", "--resume"}));
  for (const int step : {2, 4, 5}) CHECK(fs::exists(folder + "/" + name_of(step)));
}

/// Runs, as a shell would, the command line that an interrupted training printed.
Finished go_on_as_told(const std::string& out, const std::vector<std::string>& more) {
  const std::string told = out.substr(out.rfind("  "));
  std::istringstream in(told);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  CHECK(words.at(0) == TROUPE_PROGRAM);
  words.erase(words.begin());
  return run_program(joined(words, more));
}

}  // namespace

TEST_CASE("a resumed training with another number of workers ends with the hash of an uninterrupted training") {
  const TemporaryFolder folder;
  const std::string expected = run(train({"--steps", "9"})).out;
  const std::string checkpoints = folder / "run";
  const auto part = [&](const char* steps, const char* workers, const char* placement) {
    return run(train({"--steps", steps, "--workers", workers, "--placement", placement, "--checkpoint", checkpoints,
                      "--checkpoint-every", "2", "--keep", "2", "--resume", "--report", folder / "steps.jsonl"}))
        .out;
  };
  CHECK(part("3", "1", "in-process") != expected);
  part("5", "3", "processes");
  CHECK(part("9", "4", "in-process") == expected);
  CHECK(part("9", "2", "in-process") == expected);  // no steps are left
  CHECK_FALSE(fs::exists(checkpoints + "/" + name_of(5)));
  CHECK(fs::exists(checkpoints + "/" + name_of(9)));
  CHECK(lines_of(read_file(folder / "steps.jsonl")).size() == 9 + 1);  // and a line for an epoch of 5 steps
}

TEST_CASE("a report contains each step once, even if the training was killed and resumed") {
  const TemporaryFolder folder;
  const std::string report = folder / "steps.jsonl";
  const auto trained = [&](const std::string& to, const std::vector<std::string>& more) {
    return train_linear(joined({"--shards", "4", "--report", to, "--hash"}, more));
  };
  const std::vector<std::string> kept{"--checkpoint", folder / "run", "--checkpoint-every", "1000"};
  run(trained(report, joined(kept, {"--steps", "2"})));
  {
    Program program(trained(report, joined(kept, {"--steps", "1000000000", "--batch-size", "0", "--resume"})));
    REQUIRE(program.prints("step 3, "));
    ::kill(program.pid(), SIGKILL);
    program.finish();
    CHECK(lines_of(read_file(report)).size() > 2);  // everything that was printed is in the file
  }
  std::string whole = read_file(report);
  whole.resize(whole.rfind('\n') + 1);
  write_file(report, whole + whole.substr(0, 100));  // as a full disk leaves the file
  run(trained(report, joined(kept, {"--steps", "5", "--resume", "--profile"})));
  run(trained(report, joined(kept, {"--steps", "7", "--resume"})));
  run(trained(folder / "whole.jsonl", {"--steps", "7"}));
  CHECK(run({"diff", folder / "whole.jsonl", report}).out == "7 steps, all identical\n");
  CHECK(lines_of(read_file(report)).size() == 7 + 2);  // with an epoch and the profile
}

TEST_CASE("resuming does not truncate the file behind /dev/stdout") {
  const TemporaryFolder folder;
  run(train({"--steps", "2", "--checkpoint", folder / "run"}));
  const std::string log = std::string(1000, '-') + "\n{\"step\":100}\n";
  write_file(folder / "log", log);
  Program program(train({"--steps", "3", "--checkpoint", folder / "run", "--resume", "--report", "/dev/stdout"}),
                  {.output = folder / "log"});
  CHECK(program.finish().status == 0);
  const std::string after = read_file(folder / "log");
  CHECK(after.find("{\"step\":100}\n{\"step\":3,") != std::string::npos);
}

TEST_CASE("--resume without a checkpoint starts from the beginning with a notice") {
  const TemporaryFolder folder;
  const Finished first = run(train_linear({"--steps", "3", "--checkpoint", folder / "run", "--resume"}));
  CHECK(first.out.find("no checkpoint yet") != std::string::npos);
  const Finished second = run(train_linear({"--steps", "4", "--checkpoint", folder / "run", "--resume"}));
  CHECK(second.out.find("resuming after step 3\n") != std::string::npos);
}

TEST_CASE("a damaged newest checkpoint is reported, and the previous one is used") {
  const TemporaryFolder folder;
  const std::string expected = run(train({"--steps", "7"})).out;
  make_run(folder / "run");
  flip_last_byte(folder / ("run/" + name_of(5) + "/weights.safetensors"));
  const Finished finished = run(train({"--steps", "7", "--checkpoint", folder / "run", "--resume"}));
  CHECK(finished.out == expected);
  CHECK(finished.err.find(name_of(5) + " is damaged") != std::string::npos);
  CHECK(lines_of(finished.err).size() == 1);
}

TEST_CASE("the best weights are saved, and --load accepts a checkpoint or a folder of checkpoints") {
  const TemporaryFolder folder;
  write_fashion(folder);
  const std::string data = "fashion-mnist:" + folder.path().string();
  const std::string checkpoints = folder / "run";
  const Finished trained = run({"train",
                                "--model",
                                "softmax",
                                "--data",
                                data,
                                "--batch-size",
                                "8",
                                "--quiet",
                                "--learning-rate",
                                "5",
                                "--epochs",
                                "6",
                                "--checkpoint",
                                checkpoints,
                                "--keep",
                                "1",
                                "--keep-best",
                                "accuracy",
                                "--save",
                                folder / "best"});
  std::string best;
  for (const std::string& line : lines_of(run({"checkpoint", "list", checkpoints}).out))
    if (line.find("the best") != std::string::npos) best = line.substr(line.find("step-"), name_of(1).size());
  REQUIRE_FALSE(best.empty());
  CHECK(read_file(folder / "best") == read_file(checkpoints + "/" + best + "/weights.safetensors"));
  CHECK_MESSAGE(trained.out.find("best weights saved to " + (folder / "best") + ": accuracy ") != std::string::npos,
                trained.out);
  CHECK(trained.out.find("after step " + std::to_string(std::stoi(best.substr(5)))) != std::string::npos);

  const auto evaluated = [&](const std::string& load) { return run({"evaluate", "--data", data, "--load", load}).out; };
  CHECK(evaluated(checkpoints + "/" + best) == evaluated(folder / "best"));
  const auto newest = evaluated(checkpoints);
  CHECK(trained.out.find(newest.substr(0, newest.find('\n'))) != std::string::npos);  // test loss after the last step
  CHECK(run({"predict", "--data", data, "--load", checkpoints, "--count", "1"}).out.find("0: class") == 0);
  check_refused({"predict", "--data", data, "--load", folder.path().string()}, {"neither weights.safetensors nor"});
}

TEST_CASE("the best checkpoint is kept and marked in the list, and training resumes from the newest") {
  const TemporaryFolder folder;
  write_fashion(folder);
  const std::string checkpoints = folder / "run";
  const auto epochs = [&](const char* count, const std::vector<std::string>& more) {
    return run(joined({"train", "--model", "softmax", "--data", "fashion-mnist:" + folder.path().string(),
                       "--batch-size", "8", "--quiet", "--learning-rate", "0.05", "--epochs", count, "--checkpoint",
                       checkpoints, "--keep", "1", "--keep-best", "loss"},
                      more));
  };
  epochs("3", {});
  epochs("6", {"--resume"});
  const std::string list = run({"checkpoint", "list", checkpoints}).out;
  INFO(list);
  const auto lines = lines_of(list);
  // The heading, the newest checkpoint, and the best one if that is an older one. Which one is best may depend on the
  // processor.
  REQUIRE_FALSE(lines.empty());
  CHECK(lines.size() == (lines.back().ends_with(", the best") ? 2 : 3));
  CHECK(list.find("verifies, the best") != std::string::npos);
  CHECK(run({"checkpoint", "show", checkpoints}).out.find("the lowest is the best\n") != std::string::npos);
  check_refused(train({"--steps", "3", "--checkpoint", folder / "other", "--keep-best", "accuracy"}), {"--keep-best"});
  check_refused(train({"--steps", "3", "--checkpoint", folder / "other", "--keep-best", "beauty"}), {"beauty"});
}

TEST_CASE("a full disk, an unusable metric or a path that is not UTF-8 does not end the training") {
  const TemporaryFolder folder;
  write_fashion(folder);
  const Finished finished =
      run_program({"train", "--model", "softmax", "--data", "fashion-mnist:" + folder.path().string(), "--batch-size",
                   "8", "--quiet", "--epochs", "3", "--checkpoint", folder / "run", "--checkpoint-every", "1000",
                   "--keep-best", "accuracy", "--fault", "full disk at step 1"});
  CHECK(finished.status == 1);  // the best may be the one that is not there
  CHECK(finished.err.find("cannot write a checkpoint; the run continues: ") != std::string::npos);
  CHECK(lines_of(finished.err).size() == 1);
  CHECK(run({"checkpoint", "list", folder / "run"}).out.find("verifies, the best") != std::string::npos);

  const std::string report = folder / "steps.jsonl";
  run({"train", "--model", "softmax", "--data", "fashion-mnist:" + folder.path().string(), "--batch-size", "8",
       "--quiet", "--epochs", "2", "--checkpoint", folder / "no UTF-8\xff", "--keep-best", "accuracy", "--report",
       report});
  CHECK(read_file(report).find("no UTF-8\xef\xbf\xbd/") != std::string::npos);

  troupe::cli::CheckpointFlags flags;
  flags.keep_best = "loss";
  CHECK(flags.metric_of({.loss = 0.5, .accuracy = 1}) == 0.5);
  CHECK_FALSE(flags.metric_of({.loss = std::numeric_limits<double>::infinity(), .accuracy = 1}));
}

TEST_CASE("an interrupted training that cannot save its last step prints which checkpoint it resumes from") {
  const TemporaryFolder folder;
  const std::string checkpoints = folder / "run";
  run(train({"--steps", "2", "--checkpoint", checkpoints}));
  Program program(
      train_linear({"--shards", "4", "--momentum", "0.9", "--steps", "1000000000", "--batch-size", "0", "--checkpoint",
                    checkpoints, "--checkpoint-every", "1000000000", "--resume", "--fault", "full disk at step 3"}));
  REQUIRE(program.prints("step 3, "));
  ::kill(program.pid(), SIGTERM);
  const Finished stopped = program.finish();
  INFO(stopped.out << stopped.err);
  CHECK(stopped.status == 128 + SIGTERM);
  CHECK(stopped.err.find("No space left") != std::string::npos);
  CHECK(stopped.out.find("; the newest checkpoint is of step 2, in " + checkpoints + "/" + name_of(2) +
                         "; to resume:\n  " TROUPE_PROGRAM " train ") != std::string::npos);
}

TEST_CASE("a signal stops a training after a step, saves the step and prints a command that resumes") {
  for (const int signal : {SIGTERM, SIGINT}) {
    CAPTURE(signal);
    const TemporaryFolder folder;
    Program program(train_linear({"--steps", "1000000000", "--batch-size", "0", "--placement", "processes",
                                  "--checkpoint", folder / "run", "--checkpoint-every", "1000000000"}));
    REQUIRE(program.prints("step 3, "));
    ::kill(signal == SIGINT ? -program.pid() : program.pid(), signal);
    const Finished stopped = program.finish();
    INFO(stopped.out << stopped.err);
    CHECK(stopped.status == 128 + signal);
    CHECK(stopped.err.empty());
    const auto lines = lines_of(stopped.out);
    std::smatch told;
    const std::regex line("stopped by (an interrupt|SIGTERM) after step ([0-9]+), saved in (.*); to resume:");
    REQUIRE(lines.size() > 2);
    REQUIRE(std::regex_match(lines[lines.size() - 2], told, line));
    CHECK((told[1] == "SIGTERM") == (signal == SIGTERM));
    CHECK(fs::exists(told[3].str() + "/manifest.json"));
    const Finished on = go_on_as_told(stopped.out, {"--steps", std::to_string(std::stoll(told[2]) + 2)});
    CHECK_MESSAGE(on.status == 0, on.err);
    CHECK(on.out.find("resuming after step " + told[2].str() + "\n") != std::string::npos);
  }
}

TEST_CASE("arguments with special characters of a shell are quoted") {
  using troupe::cli::shell_text;
  CHECK(shell_text({"/bin/troupe", "train", "--config=a.json"}) == "/bin/troupe train --config=a.json");
  CHECK(shell_text({"a b", "", "it's", "*.bias:weight_decay=0"}) == R"('a b' '' 'it'\''s' '*.bias:weight_decay=0')");
}

TEST_CASE("two trainings in one folder and options without effect are refused") {
  const TemporaryFolder folder;
  const std::string checkpoints = folder / "run";
  {
    Program program(train_linear({"--steps", "1000000000", "--batch-size", "0", "--checkpoint", checkpoints}));
    REQUIRE(program.prints("step 3, "));
    check_refused(train({"--steps", "3", "--checkpoint", checkpoints, "--resume"}), {"in_use", checkpoints});
    ::kill(program.pid(), SIGTERM);
    CHECK(program.finish().status == 128 + SIGTERM);
  }
  check_refused(train({"--steps", "3", "--checkpoint", checkpoints}), {"--resume", checkpoints});
  for (const char* every : {"0", "-1", "s", "5m", "5.5", "9999999999999999999999", "60ss"})
    check_refused(train({"--steps", "3", "--checkpoint", checkpoints, "--checkpoint-every", every}),
                  {"--checkpoint-every", every});
  check_refused(train({"--steps", "3", "--checkpoint", checkpoints, "--keep", "0"}), {"--keep"});
  check_refused(train({"--steps", "3", "--resume"}), {"--resume", "--checkpoint"});
  for (const char* option : {"--checkpoint", "--report", "--save"})
    check_refused(train({"--steps", "3", option, ""}), {option, "empty"});
}

TEST_CASE("checkpoints are listed, shown and verified") {
  const TemporaryFolder folder;
  const std::string checkpoints = folder / "run";
  make_run(checkpoints);
  const std::string line = " +20[0-9-]+T[0-9:]+Z +[1-9][0-9]* +- +verifies\n";
  const std::string all =
      "checkpoint +written +bytes +metric +state\n" + name_of(2) + line + name_of(4) + line + name_of(5);
  const Finished list = run({"checkpoint", "list", checkpoints});
  CHECK_MESSAGE(matches(list.out, all + line), list.out);
  const Finished verified = run({"checkpoint", "verify", checkpoints});
  CHECK(lines_of(verified.out).size() == 3);
  const Finished shown = run({"checkpoint", "show", checkpoints});
  for (const char* text : {"step           5\n", "shards         4\n", "model          linear\n", "\"momentum\":0.9"})
    CHECK_MESSAGE(shown.out.find(text) != std::string::npos, shown.out);
  CHECK(run({"checkpoint", "show", checkpoints + "/" + name_of(2)}).out.find("step           2\n") !=
        std::string::npos);

  flip_last_byte(checkpoints + "/" + name_of(4) + "/state.safetensors");
  const Finished damaged = run_program({"checkpoint", "verify", checkpoints});
  CHECK(damaged.status == 1);
  CHECK(lines_of(damaged.out).size() == 2);
  CHECK(damaged.err.find("tensor 'momentum/") != std::string::npos);
  CHECK(damaged.err.find(name_of(4)) != std::string::npos);
  CHECK(run({"checkpoint", "verify", checkpoints + "/" + name_of(5)}).err.empty());
  CHECK(run({"checkpoint", "list", checkpoints}).out.find("damaged: ") != std::string::npos);
  fs::create_directory_symlink("nowhere", checkpoints + "/" + name_of(9));  // as if its run had just removed it
  CHECK(run_program({"checkpoint", "verify", checkpoints}).err == damaged.err);
  CHECK(run({"checkpoint", "list", checkpoints}).out.find(name_of(9)) == std::string::npos);
  for (const char* command : {"list", "verify", "show"})
    check_refused({"checkpoint", command, folder / "nowhere"}, {"bad_file", "nowhere"});
}
