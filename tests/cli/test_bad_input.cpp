#include <doctest/doctest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "cli/refused.hpp"

using namespace troupe_test;
using namespace troupe::testing;

namespace {

void check_refused_everywhere(const std::vector<std::string>& arguments, const std::vector<std::string>& named) {
  for (const char* placement : {"in-process", "processes"})
    check_refused(joined(arguments, {"--placement", placement}), named);
}

/// Damages one file of a small Fashion-MNIST and trains on the data.
void check_spoilt_idx(const std::string& part, const std::string& code, const std::string& bytes) {
  const TemporaryFolder folder;
  write_fashion(folder);
  write_gzip(folder / part, bytes);
  check_refused_everywhere(
      {"train", "--model", "softmax", "--data", "fashion-mnist:" + folder.path().string(), "--steps", "2"},
      {code, folder / part});
}

void check_spoilt_npy(const std::string& part, const std::string& code, const std::string& bytes) {
  const TemporaryFolder folder;
  const std::string data = write_npy(folder);
  write_file(folder / part, bytes);
  check_refused_everywhere({"train", "--model", "softmax", "--data", data, "--steps", "2"}, {code, folder / part});
}

std::string spoilt(std::string bytes, std::size_t at, char value) {
  bytes[at] = value;
  return bytes;
}

std::string safetensors(const std::string& header, const std::string& data) {
  return little_endian(header.size(), 8) + header + data;
}

}  // namespace

TEST_CASE("damaged IDX files are refused") {
  const std::string images = "train-images-idx3-ubyte.gz";
  const std::string labels = "t10k-labels-idx1-ubyte.gz";
  const std::string good = idx_bytes({50, 28, 28}, image_bytes(50));
  check_spoilt_idx(images, "bad_file", "");
  check_spoilt_idx(images, "bad_file", good.substr(0, 7));
  check_spoilt_idx(images, "bad_file", good.substr(0, good.size() - 1));
  check_spoilt_idx(images, "bad_file", good + "x");
  check_spoilt_idx(images, "bad_file", spoilt(good, 2, '\x0d'));
  check_spoilt_idx(images, "bad_file", spoilt(good, 0, 'x'));
  check_spoilt_idx(images, "bad_file", idx_bytes({0xffffffff, 0xffffffff, 0xffffffff}, "x"));
  check_spoilt_idx(labels, "bad_file", idx_bytes({19}, label_bytes(19)));
  check_spoilt_idx(labels, "bad_data", idx_bytes({20}, spoilt(label_bytes(20), 3, '\x0a')));
}

TEST_CASE("IDX files that are missing or not gzip files are refused") {
  const TemporaryFolder folder;
  const std::vector<std::string> train{"train", "--model", "softmax", "--data",
                                       "fashion-mnist:" + folder.path().string()};
  check_refused_everywhere(train, {"bad_file", folder / "train-images-idx3-ubyte.gz"});
  write_fashion(folder);
  const std::string images = folder / "train-images-idx3-ubyte.gz";
  write_file(images, read_file(images).substr(0, 100));
  check_refused_everywhere(train, {"bad_file", images});
  std::filesystem::remove(images);
  std::filesystem::create_directory(images);
  check_refused_everywhere(train, {"bad_file", images});
}

TEST_CASE("damaged npy files are refused") {
  const std::string dictionary = npy_dictionary("|u1", "(30, 1, 28, 28)");
  const std::string good = npy_bytes(dictionary, image_bytes(30));
  check_spoilt_npy("images.npy", "bad_file", "");
  check_spoilt_npy("images.npy", "bad_file", good.substr(0, 9));
  check_spoilt_npy("images.npy", "bad_file", good.substr(0, 40));
  check_spoilt_npy("images.npy", "bad_file", good.substr(0, good.size() - 1));
  check_spoilt_npy("images.npy", "bad_file", good + "x");
  check_spoilt_npy("images.npy", "bad_file", spoilt(good, 1, 'X'));
  check_spoilt_npy("images.npy", "bad_file", npy_bytes(npy_dictionary("|O", "(30, 1, 28, 28)"), image_bytes(30)));
  check_spoilt_npy("images.npy", "bad_file",
                   npy_bytes(npy_dictionary("|u1", "(4294967296, 4294967296, 28)"), image_bytes(30)));
  check_spoilt_npy("labels.npy", "bad_file", npy_bytes(npy_dictionary("<i8", "(29,)"), int64_bytes(label_bytes(29))));
  check_spoilt_npy("labels.npy", "bad_data",
                   npy_bytes(npy_dictionary("<i8", "(30,)"), std::string(29 * 8, '\0') + std::string(8, '\xff')));
  check_refused_everywhere({"train", "--data", "npy:/nonexistent/a.npy,/nonexistent/b.npy"},
                           {"bad_file", "/nonexistent/a.npy"});
  check_refused({"train", "--data", "npy:onlyone"}, {"npy:onlyone"});
}

TEST_CASE("a FIFO as data is refused without waiting for a writer") {
  const TemporaryFolder folder;
  const std::string fifo = folder / "fifo";
  REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
  check_refused_everywhere({"train", "--model", "softmax", "--data", "npy:" + fifo + "," + fifo}, {fifo});
  check_refused(train_linear({"--steps", "1", "--load", fifo}), {fifo});
  check_refused(train_linear({"--steps", "1", "--report", fifo}), {fifo});
  check_refused(train_linear({"--steps", "1", "--save", fifo}), {fifo});
}

TEST_CASE("damaged safetensors files are refused") {
  const TemporaryFolder folder;
  const std::string path = folder / "w.safetensors";
  REQUIRE(run_program(train_linear({"--steps", "1", "--save", path})).status == 0);
  const std::string good = read_file(path);
  const auto check = [&](const std::string& code, const std::string& bytes) {
    write_file(path, bytes);
    check_refused(train_linear({"--steps", "1", "--load", path}), {code, path});
  };
  check("bad_file", "");
  check("bad_file", good.substr(0, 5));
  check("bad_file", good.substr(0, good.size() - 1));
  check("bad_file", good + "x");
  check("bad_file", little_endian(~0ULL, 8) + good.substr(8));
  check("bad_file", safetensors("no JSON", ""));
  check("model_mismatch", safetensors(R"({"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", "abcd"));
  std::filesystem::remove(path);
  check_refused_everywhere(train_linear({"--steps", "1", "--load", path}), {"bad_file", path});
}

TEST_CASE("invalid values of options are refused with the name of the option") {
  const auto linear = [](const std::vector<std::string>& more) { return joined(train_linear({"--steps", "2"}), more); };
  check_refused_everywhere(linear({"--workers", "0"}), {"--workers is 0"});
  check_refused_everywhere(linear({"--workers", "-3"}), {"--workers is -3"});
  for (const char* workers : {"x", "2:x", ":3", "2:3:4", "1.5"})
    check_refused_everywhere(linear({"--workers", workers}), {"is neither a number nor MIN:MAX"});
  check_refused_everywhere(linear({"--workers", "3:2"}), {"--workers is 3 to 2"});
  check_refused_everywhere(linear({"--workers", "2:"}), {"set --shards"});
  check_refused_everywhere(linear({"--workers", "100000"}), {"100000"});
  check_refused(linear({"--workers", "99999999999999999999"}), {"--workers"});
  check_refused(linear({"--workers", "1.5"}), {"--workers"});
  check_refused(linear({"--workers", ""}), {"workers"});
  check_refused(linear({"--workers", "1001"}), {"1001", "1000"});
  check_refused(linear({"--devices-per-worker", "0"}), {"--devices-per-worker is 0"});
  for (const char* device : {"gpu", "CUDA", "", "cuda:", "cuda:x", "cuda:-1", "cuda:1x", "cuda:99999999999"})
    check_refused(linear({"--device", device}), {"--device", "not cpu, cuda or cuda:N"});
  check_refused({"devices"}, {"unsupported", "supports CPUs only", "-DTROUPE_CUDA=ON"});
  // No machine has so many, and no build without CUDA any.
  check_refused_everywhere(linear({"--device", "cuda:4000"}), {"unsupported"});
  check_refused_everywhere({"train", "--model", "mlp", "--data", "mock-images:8", "--device", "cuda:4000"},
                           {"unsupported"});
  check_refused_everywhere(linear({"--shards", "1001"}), {"1001", "1000"});
  check_refused(linear({"--shards", "1"}), {"1 shards"});
  check_refused(linear({"--shards", "-1"}), {"--shards", "-1"});
  check_refused(linear({"--batch-size", "-1"}), {"--batch-size", "-1"});
  check_refused_everywhere(linear({"--batch-size", "9223372036854775807"}), {"batch_size"});
  check_refused(linear({"--store-bytes", "-1"}), {"--store-bytes"});
  check_refused(linear({"--store-bytes", "99999999999999999999999"}), {"--store-bytes"});
  check_refused(linear({"--seed", "-1"}), {"--seed"});
  check_refused(train_linear({"--steps", "0"}), {"--steps", "0"});
  check_refused(train_linear({"--epochs", "-1"}), {"--epochs", "-1"});
  check_refused(train_linear({"--epochs", "1", "--steps", "1"}), {"--epochs", "--steps"});
  check_refused(linear({"--optimizer", "adam", "--momentum", "0.9"}), {"momentum"});
  check_refused(linear({"--optimizer", "sdg"}), {"--optimizer", "'sdg'", "adagrad, adam, adamw, sgd"});
  check_refused(linear({"--group", "weights"}), {"--group 'weights'", "weight_decay=0"});
  check_refused(linear({"--group", "weights:decay=0"}), {"--group 'weights:decay=0'", "'decay=0'", "weight_decay"});
  check_refused(linear({"--group", "weights:weight_decay"}), {"'weight_decay'"});
  check_refused(linear({"--group", "weights:weight_decay=0,"}), {"''"});
  check_refused(linear({"--group", "weights:weight_decay=one"}), {"'one'", "weight_decay"});
  check_refused(linear({"--group", "weights:weight_decay=-1"}), {"weight-decay of group 'weights' is -1"});
  check_refused(linear({"--group", ":weight_decay=0"}), {"pattern"});
  check_refused(linear({"--group", "*:dimensions=1.5"}), {"'*:dimensions=1.5'", "whole number"});
  check_refused(linear({"--group", "*:dimensions=3,weight_decay=0"}), {"no tensor of the model with 3 dimensions"});
  check_refused_everywhere(linear({"--group", "*.bais:weight_decay=0"}), {"'*.bais'", "no tensor"});
  check_refused({"train", "--verbose", "--quiet"}, {"--verbose", "--quiet"});
  check_refused({"train", "--model", "resnet"}, {"--model", "'resnet'", "cnn, cnn-bn, gpt, linear, mlp, resnet101,"});
  check_refused({"train", "--model", ""}, {"--model"});
  check_refused(linear({"--precision", "f16"}), {"--precision", "f16"});
  check_refused(linear({"--precision", ""}), {"--precision"});
  check_refused(linear({"--load", ""}), {"bad_file"});
  check_refused({"evaluate", "--model", "linear", "--data", "synthetic-linear", "--load", ""}, {"bad_file"});
  check_refused_everywhere({"train", "--data", "nothing"}, {"'nothing'"});
  check_refused_everywhere({"train", "--data", ""}, {"no data source named ''"});
  check_refused({"train", "--strategy", "telepathy"}, {"--strategy", "telepathy"});
  check_refused({"train", "--placement", "moon"}, {"--placement", "moon"});
  check_refused({"train", "--frobnicate"}, {"--frobnicate"});
  check_refused({"train", "extra"}, {"extra"});
  check_refused({"frobnicate"}, {"'frobnicate'"});
  check_refused({}, {"subcommand"});
  check_refused({"evaluate", "--model", "linear"}, {"--load"});
  for (const char* timeout : {"--step-timeout", "--start-timeout", "--evaluate-timeout", "--save-timeout"})
    check_refused(linear({timeout, "nan"}), {timeout});
  check_refused(linear({"--start-timeout", "-1"}), {"--start-timeout"});
}

TEST_CASE("options of another algorithm are errors, even with their default values") {
  check_refused(train_linear({"--staleness", "8"}), {"--staleness is for algorithm ssp, but this is synchronous"});
  check_refused(train_linear({"--algorithm", "lbfgs", "--push-every", "1"}),
                {"--push-every is for algorithm downpour"});
  check_refused(train_linear({"--algorithm", "local", "--outer-momentum", "0.9"}),
                {"--outer-momentum is for --outer nesterov, but this is average"});
  check_refused(train_linear({"--algorithm", "downpour", "--strategy", "parameter-server"}), {"a strategy"});
  check_refused(train_linear({"--algorithm", "downpour", "--max-staleness", "-2"}), {"--max-staleness is -2"});
}

TEST_CASE("an empty text is not a number, and a leading zero does not make a number octal") {
  for (const char* option : {"--learning-rate", "--momentum", "--weight-decay", "--clip-norm", "--warmup-steps",
                             "--batch-size", "--seed", "--shards", "--step-timeout"})
    check_refused(train_linear({option, ""}), {option, "an empty text is not a number"});
  check_refused(train_linear({"--steps", ""}), {"--steps", "an empty text is not a number"});
  check_refused(train_linear({"--data-memory", ""}), {"--data-memory"});
  check_refused(train_linear({"--workers", ""}), {"--workers"});
  const TemporaryFolder folder;
  write_file(folder / "config.json", R"({"optimizer": {"learning_rate": ""}})");
  check_refused({"train", "--config", folder / "config.json"}, {"--learning-rate", "an empty text is not a number"});
  const Finished run = run_program({"train", "--model", "linear", "--steps", "010", "--seed", "0009", "--learning-rate",
                                    "00.1", "--report", folder / "r.jsonl"});
  CHECK_MESSAGE(run.status == 0, run.err);
  CHECK(std::ranges::count_if(lines_of(read_file(folder / "r.jsonl")),
                              [](const std::string& line) { return line.starts_with("{\"step\""); }) == 10);
}

TEST_CASE("option names of other programs are refused with the name that is used here") {
  const auto names = [](const char* other, const char* ours) {
    check_refused({"train", other, "1"}, {std::string("no option '") + other + "'; use '" + ours + "'"});
  };
  names("--lr", "--learning-rate");
  names("--hold-out", "--validate");
  names("--random_state", "--seed");
  names("--num-workers", "--workers");
  check_refused({"evaluate", "--patience", "1", "--early-stopping", "1"}, {"no option"});
}

TEST_CASE("a misspelled name gets a suggestion") {
  const auto suggests = [](const std::vector<std::string>& arguments, const std::string& meant) {
    check_refused(arguments, {"did you mean '" + meant + "'?"});
  };
  suggests({"trian"}, "train");
  suggests({"checkpoint", "lst", "run"}, "list");
  suggests({"train", "--lerning-rate", "1"}, "--learning-rate");
  suggests({"train", "--learning_rate=1"}, "--learning-rate");
  suggests({"evaluate", "--laod", "w"}, "--load");
  suggests({"train", "--model", "resnet5"}, "resnet50");
  suggests({"train", "--data", "fashion-mist"}, "fashion-mnist");
  suggests({"train", "--data", "mock_images:4,3"}, "mock-images");
  suggests({"train", "--model", "mlp", "--data", "mock-images:4,3", "--loss", "softmax-crossentropy"},
           "softmax-cross-entropy");
  suggests({"train", "--optimizer", "Adma"}, "adam");
  suggests({"train", "--strategy", "hierachical"}, "hierarchical");
  suggests({"train", "--placement", "process"}, "processes");
  suggests({"train", "--schedule", "cosin"}, "cosine");
}

TEST_CASE("a model that does not fit the data is refused with the reason") {
  check_refused_everywhere({"train", "--model", "cnn", "--data", "synthetic-linear", "--steps", "1"},
                           {"layer 0 (convolution) needs images"});
  const auto with_loss = [](const std::string& model, const std::string& loss) {
    return std::vector<std::string>{"train", "--model", model, "--data", "synthetic-linear", "--loss", loss};
  };
  check_refused_everywhere(with_loss("mlp", "l1"), {"no loss named 'l1'", "mean-squared-error"});
  check_refused(with_loss("mlp", "softmax-cross-entropy"), {"needs classes", "1 targets per sample"});
  check_refused(with_loss("linear", "mean-squared-error"), {"has a fixed loss"});
  check_refused({"train", "--model", "cnn", "--data", "mock-images:1", "--steps", "1"}, {"layer"});
  check_refused({"train", "--model", "linear", "--data", "mock-images:4,2", "--steps", "1"}, {"linear regression"});
}

TEST_CASE("a store that is too small is an error of its own") {
  check_refused_everywhere(train_linear({"--steps", "2", "--store-bytes", "10000"}), {"store_full"});
}

TEST_CASE("files that cannot be written are refused before the training") {
  for (const char* option : {"--save", "--report"}) {
    check_refused_everywhere(train_linear({"--steps", "100000000", option, "/nonexistent/folder/file"}),
                             {"bad_file", "/nonexistent/folder/file"});
    check_refused(train_linear({"--steps", "100000000", option, "/tmp"}), {"bad_file", "/tmp"});
  }
  check_refused(train_linear({"--steps", "2", "--save", "/dev/null"}), {"bad_file", "/dev/null"});
  struct stat status {};
  REQUIRE(::stat("/dev/null", &status) == 0);
  CHECK(S_ISCHR(status.st_mode));
}

TEST_CASE("weights that are not finite are an error with tensor, worker and step") {
  for (const char* strategy : {"sharded", "driver"})
    check_refused_everywhere(train_linear({"--steps", "50", "--learning-rate", "1e30", "--strategy", strategy}),
                             {"non_finite_weights", "worker ", "phase apply", "step 2", "tensor '"});
  for (const char* rate : {"nan", "inf", "-1"})
    check_refused(train_linear({"--steps", "50", "--learning-rate", rate}), {"--learning-rate is "});
}

TEST_CASE("output that cannot be written is an error") {
  const std::vector<std::vector<std::string>> commands{
      train_linear({"--steps", "2", "--quiet"}),
      train_linear({"--steps", "2", "--verbose"}),
      {"train", "--help"},
  };
  for (const auto& command : commands) {
    const Finished run = run_program(command, {.output = "/dev/full"});
    CHECK(run.status == 1);
    CHECK(run.err == "troupe: system: cannot write to standard output\n");
  }
}
