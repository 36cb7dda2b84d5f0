"""Softmax regression on the 60,000 training images of Fashion-MNIST with full-batch L-BFGS. Prints one JSON line.

The objective is the mean cross entropy + l2/2 |W|^2 without the biases. The weights start from zeros. The engine is
torch.optim.LBFGS with strong Wolfe conditions, or SciPy's L-BFGS-B with the loss of scikit-learn, which is the
computation of scikit-learn's LogisticRegression for C = 1 / (l2 n).
Both engines may try a step more than once, so evaluations of loss and gradient are counted. "losses" and "times" have
one number per evaluation; times are seconds since the start. "objective" is the objective of the last weights,
computed in float64 by the same function for both engines.
The seconds do not include reading the data and a few iterations that warm up threads and caches.
"""
import argparse
import gzip
import json
import time

import numpy

WARM_UP = 3  # iterations
TARGETS = (1e-3, 1e-4)  # above the minimum


def read_idx(path):
    with gzip.open(path, "rb") as file:
        content = file.read()
    rank = content[3]
    shape = numpy.frombuffer(content, ">u4", rank, 4)
    return numpy.frombuffer(content, numpy.uint8, offset=4 + 4 * rank).reshape(shape)


def read_train(folder, precision):
    images = read_idx(f"{folder}/train-images-idx3-ubyte.gz").astype(precision) / numpy.dtype(precision).type(255)
    return images.reshape(len(images), -1), read_idx(f"{folder}/train-labels-idx1-ubyte.gz").astype(numpy.int64)


def objective(weights, biases, images, labels, l2):
    """Returns the objective, computed in float64. weights: classes x pixels."""
    weights, total = weights.astype(numpy.float64), 0.0
    for first in range(0, len(images), 5000):
        part = slice(first, first + 5000)
        scores = images[part].astype(numpy.float64) @ weights.T + biases
        scores -= scores.max(axis=1, keepdims=True)
        right = scores[numpy.arange(len(scores)), labels[part]]
        total += (numpy.log(numpy.exp(scores).sum(axis=1)) - right).sum()
    return float(total / len(images) + l2 / 2 * (weights ** 2).sum())


class Notes:
    """The loss and the time of each evaluation."""

    def __init__(self):
        self.losses, self.times, self.start = [], [], time.perf_counter()

    def add(self, loss):
        self.losses.append(float(loss))
        self.times.append(time.perf_counter() - self.start)


def by_torch(images, labels, options):
    import torch  # imported here, so that neither engine runs with the other's threads
    torch.set_num_threads(options.threads)
    images, labels = torch.from_numpy(images), torch.from_numpy(labels)
    change = 1e-9 if options.change is None else options.change

    def minimise(iterations):
        layer = torch.nn.Linear(images.shape[1], options.classes, dtype=images.dtype)
        torch.nn.init.zeros_(layer.weight)
        torch.nn.init.zeros_(layer.bias)
        optimizer = torch.optim.LBFGS(
            layer.parameters(), lr=1, max_iter=iterations, max_eval=50 * iterations, tolerance_grad=options.tolerance,
            tolerance_change=change, history_size=options.history, line_search_fn="strong_wolfe")
        notes = Notes()

        def closure():
            optimizer.zero_grad()
            loss = torch.nn.functional.cross_entropy(layer(images), labels)
            loss = loss + options.l2 / 2 * layer.weight.square().sum()
            loss.backward()
            notes.add(loss.detach())
            return loss

        optimizer.step(closure)
        seconds = time.perf_counter() - notes.start
        weights, biases = (parameter.detach().numpy() for parameter in (layer.weight, layer.bias))
        return notes, seconds, optimizer.state[layer.weight]["n_iter"], weights, biases

    minimise(WARM_UP)
    return minimise(options.iterations), {"torch": torch.__version__}


def by_sklearn(images, labels, options):
    import scipy
    import sklearn
    import threadpoolctl
    from sklearn._loss import HalfMultinomialLoss
    from sklearn.linear_model._linear_loss import LinearModelLoss

    loss = LinearModelLoss(HalfMultinomialLoss(n_classes=options.classes), fit_intercept=True)
    labels = labels.astype(images.dtype)
    change = 64 * numpy.finfo(float).eps if options.change is None else options.change

    def minimise(iterations):
        notes = Notes()

        def evaluate(coefficients):
            found, gradient = loss.loss_gradient(coefficients, images, labels, l2_reg_strength=options.l2,
                                                 n_threads=options.threads)
            notes.add(found)
            return found, gradient

        start = numpy.zeros((options.classes, images.shape[1] + 1), order="F").ravel(order="F")
        result = scipy.optimize.minimize(
            evaluate, start, method="L-BFGS-B", jac=True,
            options={"maxiter": iterations, "maxfun": 50 * iterations, "maxls": 50, "gtol": options.tolerance,
                     "ftol": change, "maxcor": options.history})
        seconds = time.perf_counter() - notes.start
        return notes, seconds, result.nit, *loss.weight_intercept(result.x)

    with threadpoolctl.threadpool_limits(options.threads):
        minimise(WARM_UP)
        found = minimise(options.iterations)
    return found, {"sklearn": sklearn.__version__, "scipy": scipy.__version__}


def within(notes, minimum):
    """Returns, by target, the evaluations and seconds until the objective was first that close to the minimum."""
    firsts = {target: next((i for i, loss in enumerate(notes.losses) if loss <= minimum + target), None)
              for target in TARGETS}
    return {target: None if first is None else {"evaluations": first + 1, "seconds": notes.times[first]}
            for target, first in firsts.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", choices=["torch", "sklearn"], default="torch")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--history", type=int, default=10)
    parser.add_argument("--iterations", type=int, default=300, help="the largest number of iterations")
    parser.add_argument("--tolerance", type=float, default=0, help="ends when no component of the gradient is larger")
    parser.add_argument("--change", type=float, help="ends when an iteration gains less (default: the engine's own; "
                        "with 0 PyTorch's line search may not end because of rounding)")
    parser.add_argument("--l2", type=float, default=1e-4)
    parser.add_argument("--precision", choices=["float32", "float64"], default="float32")
    parser.add_argument("--minimum", type=float, help="also report the time until the objective is near this")
    parser.add_argument("--data", default="/usr/share/datasets/fashion-mnist")
    options = parser.parse_args()
    images, labels = read_train(options.data, options.precision)
    options.classes = int(labels.max()) + 1
    engine = {"torch": by_torch, "sklearn": by_sklearn}[options.engine]
    (notes, seconds, iterations, weights, biases), versions = engine(images, labels, options)
    print(json.dumps({
        "engine": options.engine, **versions, "numpy": numpy.__version__, "threads": options.threads,
        "precision": options.precision, "evaluations": len(notes.losses), "iterations": iterations, "seconds": seconds,
        "objective": objective(weights, biases, images, labels, options.l2),
        **({} if options.minimum is None else {"within": within(notes, options.minimum)}),
        "losses": notes.losses, "times": notes.times}))


if __name__ == "__main__":
    main()
