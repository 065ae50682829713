"""The top of a concave quadratic between bounds, by Newton's method."""

from __future__ import annotations

import numpy as np
import scipy.linalg

from rosenblatt.engine.online.state import Array

MOST_CLIMBS = 50


def climb(alpha: Array, limits: Array, hessian: Array, slope: Array, constraint: Array | None) -> Array:
    """Maximise slope·d - d'Hd/2 over d with 0 <= alpha + d <= limits, and constraint·d = 0 if there is one.

    Newton steps, each as long as it rises and no coordinate passes its bound; one that reaches it stays there.
    """
    alpha, slope, moving = alpha.copy(), slope.copy(), np.arange(len(alpha))
    for _ in range(max(MOST_CLIMBS, min(2 * len(alpha), 10 * MOST_CLIMBS))):
        part = hessian[np.ix_(moving, moving)]
        ridge = 1e-11 * float(np.trace(part)) + np.finfo(float).tiny
        sides = [slope[moving]] if constraint is None else [slope[moving], constraint[moving]]
        try:
            factor = scipy.linalg.cho_factor(part + ridge * np.eye(len(moving)))
            solved = [scipy.linalg.cho_solve(factor, side) for side in sides]
        except np.linalg.LinAlgError:
            break
        step = solved[0]
        if constraint is not None:
            step = step - solved[1] * (constraint[moving] @ step) / (constraint[moving] @ solved[1])
        rise, bend = float(slope[moving] @ step), float(step @ part @ step)
        if not (rise > 0.0 and np.isfinite(rise) and np.isfinite(bend)):
            break
        here, limit = alpha[moving], limits[moving]
        with np.errstate(divide="ignore", invalid="ignore"):
            room = np.where(step < 0.0, -here / step, np.where(step > 0.0, (limit - here) / step, np.inf))
        length = min(rise / bend if bend > 0.0 else np.inf, float(room.min()))
        if not np.isfinite(length):
            break
        moved = np.clip(here + length * step, 0.0, limit)
        stuck = room <= length * (1.0 + 1e-12)
        moved[stuck] = np.where(step[stuck] < 0.0, 0.0, limit[stuck])
        slope -= hessian[:, moving] @ (moved - here)
        alpha[moving] = moved
        moving = moving[~stuck]
        if not stuck.any() or len(moving) == 0:
            break
    return alpha
