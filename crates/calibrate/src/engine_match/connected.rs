//! Which players have finite ratings against each other.

/// Returns the group of each player. Within a group every player has scored against every other,
/// directly or through a chain of players; only then are the most likely ratings finite (Ford
/// 1957). `scored[i]` lists the players against whom player `i` scored at least half a point.
/// Groups are numbered from 0, in no particular order.
pub(super) fn groups(scored: &[Vec<usize>]) -> Vec<usize> {
    let mut conceded = vec![Vec::new(); scored.len()];
    for (player, others) in scored.iter().enumerate() {
        others
            .iter()
            .for_each(|&other| conceded[other].push(player));
    }
    // Kosaraju's algorithm: first order the players by the time at which a depth-first search
    // leaves them. Taken in reverse, searches along reversed edges then stay within a group.
    let mut left = Vec::with_capacity(scored.len());
    let mut seen = vec![false; scored.len()];
    for start in 0..scored.len() {
        walk(scored, start, &mut seen, |player| left.push(player));
    }
    let mut group = vec![0; scored.len()];
    let mut seen = vec![false; scored.len()];
    let mut number = 0;
    for &start in left.iter().rev() {
        let mut found = false;
        walk(&conceded, start, &mut seen, |player| {
            group[player] = number;
            found = true;
        });
        number += usize::from(found);
    }
    group
}

/// Searches depth-first from `start` over players not seen yet. Calls `leave` for each player after
/// all players reached from it.
fn walk(arrows: &[Vec<usize>], start: usize, seen: &mut [bool], mut leave: impl FnMut(usize)) {
    if std::mem::replace(&mut seen[start], true) {
        return;
    }
    let mut path = vec![(start, 0)];
    while let Some((player, next)) = path.last_mut() {
        let player = *player;
        if let Some(&other) = arrows[player].get(*next) {
            *next += 1;
            if !std::mem::replace(&mut seen[other], true) {
                path.push((other, 0));
            }
        } else {
            leave(player);
            path.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::groups;

    #[test]
    fn players_that_score_in_a_circle_form_a_group() {
        // Players 0, 1 and 2 scored in a circle; player 3 lost to all of them; 4 and 5 played
        // apart.
        let group = groups(&[vec![1, 3], vec![2, 3], vec![0], vec![], vec![5], vec![4]]);
        assert!(group[0] == group[1] && group[1] == group[2]);
        assert!(group[3] != group[0] && group[4] != group[0] && group[3] != group[4]);
        assert_eq!(group[4], group[5]);
        assert!(groups(&[]).is_empty());
    }
}
